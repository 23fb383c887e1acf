/** Hexadecimal digits, 12 at most, that hardly anybody else draws: for names, not for secrets. */
export function uniqueDigits(count: number): string {
  return Math.floor(Math.random() * 16 ** count)
    .toString(16)
    .padStart(count, '0')
}
