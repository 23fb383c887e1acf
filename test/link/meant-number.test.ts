import { expect, it } from 'vitest'
import { meantNumber } from '../../boards/remote/link/index.ts'

it.each([22.1, 0.1, -40.5, 24.03, 0.3199, 1e-7, 1013.25, 0.005])(
  '%d comes out of a float of 4 bytes as it was meant',
  number => expect(meantNumber(Math.fround(number))).toBe(number),
)

it.each([0, -0, 7, 2 ** 40, 0.1, 1 / 3, Math.PI, Number.MAX_VALUE])('%d stays as it is', number => {
  expect(meantNumber(number)).toBe(number)
})

it('whatever comes out is the same float', () => {
  for (let bits = 1; bits < 2 ** 31; bits += 40_000_003) {
    const float = new Float32Array(Uint32Array.of(bits).buffer)[0]!
    if (Number.isFinite(float)) expect(Math.fround(meantNumber(float))).toBe(float)
  }
})
