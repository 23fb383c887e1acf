/** A value without the digits that its chip does not give. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits
  // No negative zero.
  return Math.round(value * scale) / scale + 0
}
