import type { AllowedUse, ArgumentLimit, OperatorLimits, ServerOptions } from '../runtime/index.ts'
import type { Arguments, Option } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'

/** What the person who runs a server holds it to: options of every command that serves a board. */
export const operatorOptions = {
  'read-only': { help: 'the sensors can be read, and nothing can be moved' },
  allow: {
    value: 'RULE',
    many: true,
    help: 'only this may be moved: NAME, or NAME:ARG=MIN..MAX, or NAME:ARG=V1|V2; may be given more than once',
  },
  'dry-run': { help: 'moves are checked and answered, and nothing is moved' },
  silence: { value: 'SECONDS', help: 'a host that says nothing for so long is gone: everything is made safe' },
} as const satisfies Record<string, Option>

/** What these options say, as a server takes it. */
export type OperatorChoice = Pick<ServerOptions, 'limits' | 'hostSilenceMs'>

/**
 * Reads `--read-only`, `--allow`, `--dry-run` and `--silence`.
 *
 * @throws Failure that says what would be right
 */
export function operatorChoice({ values, lists }: Pick<Arguments, 'values' | 'lists'>): OperatorChoice {
  const rules = lists?.allow
  const limits: OperatorLimits = {
    ...(values['read-only'] === true && { readOnly: true }),
    ...(values['dry-run'] === true && { dryRun: true }),
    ...(rules !== undefined && { allow: allowedUses(rules) }),
  }
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(values.silence !== undefined && { hostSilenceMs: silenceMs(String(values.silence)) }),
  }
}

/** The options that were given, as words to be typed again. */
export function typedAgain(
  options: Readonly<Record<string, Option>>,
  { values, lists }: Pick<Arguments, 'values' | 'lists'>,
): string[] {
  return Object.keys(options).flatMap(name => {
    const value = values[name]
    if (value === undefined) return []
    if (value === true) return [`--${name}`]
    return (lists?.[name] ?? [value]).flatMap(each => [`--${name}`, each])
  })
}

/** A limit in a few words, for people: `read-only`, `pump: seconds 0 to 10`. */
export function limitTexts({ readOnly, dryRun, allow }: OperatorLimits): string[] {
  return [
    ...(readOnly === true ? ['read-only'] : []),
    ...(dryRun === true ? ['dry run'] : []),
    ...Object.entries(allow ?? {}).map(([name, use]) => (use === true ? name : `${name}: ${useText(use)}`)),
  ]
}

function useText(use: Readonly<Record<string, ArgumentLimit>>): string {
  return Object.entries(use)
    .map(([argument, { minimum, maximum, values }]) => {
      if (values !== undefined) return `${argument} ${values.map(value => JSON.stringify(value)).join(' or ')}`
      if (minimum === undefined) return `${argument} up to ${maximum}`
      return maximum === undefined ? `${argument} from ${minimum}` : `${argument} ${minimum} to ${maximum}`
    })
    .join(', ')
}

const longestSilence = 86_400

function silenceMs(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  const ms = Math.round(seconds * 1000)
  if (ms > 0 && seconds <= longestSilence) return ms
  throw wrong(`--silence is a number of seconds, such as 30, not ${text}`)
}

function allowedUses(rules: readonly string[]): Record<string, AllowedUse> {
  const uses: Record<string, AllowedUse> = Object.create(null)
  for (const rule of rules) {
    const [, name = '', own] = /^([A-Za-z0-9_.-]{1,128})(?::(.*))?$/s.exec(rule) ?? []
    if (name === '') throw malformed(rule)
    if (Object.hasOwn(uses, name)) {
      throw wrong(`--allow names ${name} twice: put its arguments into one, as in --allow ${name}:a=0..5,b=0..9`)
    }
    uses[name] = own === undefined ? true : argumentLimits(rule, own)
  }
  return uses
}

function argumentLimits(rule: string, text: string): Record<string, ArgumentLimit> {
  const limits: Record<string, ArgumentLimit> = Object.create(null)
  for (const part of text.split(',')) {
    const [, argument = '', allowed = ''] = /^([^=]+)=(.+)$/s.exec(part) ?? []
    if (argument === '') throw malformed(rule)
    if (Object.hasOwn(limits, argument)) throw wrong(`--allow ${rule}: ${argument} is there twice`)
    limits[argument] = argumentLimit(rule, argument, allowed)
  }
  return limits
}

const number = String.raw`[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`
const range = new RegExp(`^(${number})?\\.\\.(${number})?$`)

function argumentLimit(rule: string, argument: string, allowed: string): ArgumentLimit {
  const [isRange, least, most] = range.exec(allowed) ?? []
  if (isRange === undefined) {
    if (allowed.includes('..')) throw malformed(rule)
    return { values: allowed.split('|').map(value => typedValue(rule, value)) }
  }
  if (least === undefined && most === undefined) throw malformed(rule)
  if (least !== undefined && most !== undefined && Number(least) > Number(most)) {
    throw wrong(`--allow ${rule}: ${argument} goes from the smaller to the larger one, ${most}..${least}`)
  }
  return {
    ...(least !== undefined && { minimum: Number(least) }),
    ...(most !== undefined && { maximum: Number(most) }),
  }
}

/** A number, true, false, or a text; in quotation marks it is a text whatever it looks like. */
function typedValue(rule: string, text: string): string | number | boolean {
  if (text === '') throw malformed(rule)
  if (text === 'true' || text === 'false') return text === 'true'
  if (new RegExp(`^${number}$`).test(text)) return Number(text)
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? []
  return quoted ?? text
}

function malformed(rule: string): Failure {
  return wrong(
    `--allow ${rule} cannot be read: it looks like pump, pump:seconds=0..10, lamp:colour=red|green, or ` +
      'motor:rpm=0..500,direction=left',
  )
}

function wrong(text: string): Failure {
  return new Failure(text, exitCodes.wrongUse)
}
