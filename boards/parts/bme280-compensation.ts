/** The trimming values that each chip was given in the factory, by the datasheet's names. */
export type Trimming = Readonly<Record<TrimmingName, number>>
type TrimmingName =
  | `T${1 | 2 | 3}`
  | `P${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  // Zero in a chip without humidity.
  | `H${1 | 2 | 3 | 4 | 5 | 6}`

/** The temperature that the other two formulas need: BST-BME280-DS002 section 4.2.3, `BME280_compensate_T_int32`. */
export function fineTemperature(adcT: number, { T1, T2, T3 }: Trimming): number {
  const first = (((adcT >> 3) - (T1 << 1)) * T2) >> 11
  const difference = (adcT >> 4) - T1
  return first + ((((difference * difference) >> 12) * T3) >> 14)
}

/** Hundredths of a degree Celsius. */
export function centiCelsius(fine: number): number {
  return (fine * 5 + 128) >> 8
}

/** Pascals in 1/256, by `BME280_compensate_P_int64`; nothing where the trimming values cannot be those of a chip. */
export function pascals256(adcP: number, fine: number, trimming: Trimming): number | undefined {
  const [P1, P2, P3, P4, P5, P6, P7, P8, P9] = ([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map(n =>
    BigInt(trimming[`P${n}`]),
  )
  const t = BigInt(fine) - 128000n
  const offset = t * t * P6! + ((t * P5!) << 17n) + (P4! << 35n)
  const slope = (((1n << 47n) + ((t * t * P3!) >> 8n) + ((t * P2!) << 12n)) * P1!) >> 33n
  if (slope === 0n) return undefined
  const p = (((BigInt(1048576 - adcP) << 31n) - offset) * 3125n) / slope
  const square = (P9! * (p >> 13n) * (p >> 13n)) >> 25n
  return Number(((p + square + ((P8! * p) >> 19n)) >> 8n) + (P7! << 4n))
}

/** Percent of relative humidity in 1/1024, by `BME280_compensate_H_int32`. */
export function relativeHumidity1024(adcH: number, fine: number, { H1, H2, H3, H4, H5, H6 }: Trimming): number {
  const t = fine - 76800
  const left = ((adcH << 14) - (H4 << 20) - H5 * t + 16384) >> 15
  const scale = (((((t * H6) >> 10) * (((t * H3) >> 11) + 32768)) >> 10) + 2097152) * H2 + 8192
  const raw = left * (scale >> 14)
  const humidity = raw - (((((raw >> 15) * (raw >> 15)) >> 7) * H1) >> 4)
  return Math.min(Math.max(humidity, 0), 419430400) >> 12
}
