import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { newRunKey } from '../transports/http/authorization/index.ts'
import type { Page } from '../transports/http/index.ts'
import { packageFolder } from './place.ts'

/** The page for people: what it is made of, by path, and the key that opens it in this run. */
export interface PersonsPage {
  files: Readonly<Record<string, Page>>
  key: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Nothing but its own files is ever loaded, and nothing that a device says can become a script, a style or a frame. */
const headers = Object.freeze({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cache-Control': 'no-store',
})

/** Reads the page: `/` is its document, its other files are under `/page/`. */
export function page(): PersonsPage {
  const folder = pageFolder()
  const files: Record<string, Page> = {}
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const content = { type, body: readFileSync(join(folder, name)), headers }
    files[name === 'index.html' ? '/' : `/page/${name}`] = () => content
  }
  return { files, key: newRunKey() }
}

/** In a checkout it stands where it was written, in the package where the build put it. */
function pageFolder(): string {
  const [written, shipped] = [join(packageFolder, 'bin/page'), join(packageFolder, 'dist/bin/page')]
  return existsSync(written) ? written : shipped
}
