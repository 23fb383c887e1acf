/**
 * The number that a device meant by a float of 4 bytes: it has no 22.1, and sends the nearest that it has, which is
 * 22.100000381469727. Of all decimals that end up as the same float this is the shortest. Other numbers stay as they are.
 */
export function meantNumber(number: number): number {
  if (Number.isInteger(number) || Math.fround(number) !== number) return number
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return short
  }
  return number
}
