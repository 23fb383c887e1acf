import type { Claim } from './claim.ts'
import type { Misfit } from './driver.ts'
import { needed, text } from './field.ts'
import { ambiguous, type Pin, pin, pinClaim } from './pin.ts'

/** Which line an entry has. */
export function lineFields() {
  return {
    pin: needed(pin('The pin: "GPIO17", "pin 11", or the name of a line; with "chip" also its number')),
    chip: text('Another controller than that of the header, by its label or name', 'gpiochip2', 64),
  }
}

/** Such a line, as it was read. */
export interface Line {
  readonly pin: Pin
  readonly chip?: string | undefined
}

/** A number says nothing without its controller. */
export function lineMisfit({ pin: { pin }, chip }: Line): Misfit | undefined {
  return typeof pin === 'number' && chip === undefined ? { key: 'pin', text: ambiguous(pin).text } : undefined
}

/** What such an entry takes. */
export function lineClaims({ pin, chip }: Line): Claim[] {
  return [pinClaim(pin, chip)]
}
