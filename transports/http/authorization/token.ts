import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a token begins with, so that people and the scanners of code hosts know one when they see it. */
export const tokenPrefix = 'ferrule_'

/** A new token: 32 random bytes as base64url behind the prefix, 51 characters. */
export function newToken(): string {
  return tokenPrefix + randomBytes(32).toString('base64url')
}

/**
 * What is kept of a token: its SHA-256. A slow hash protects passwords, which can be guessed; 256 random bits cannot,
 * however fast the hash is. For the same reason wrong tokens are not counted.
 */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether two hashes are the same. How long it takes does not tell where they differ. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
