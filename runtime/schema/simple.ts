import { isObject } from './plain.ts'

const typeNames: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const dialect = 'https://json-schema.org/draft/2020-12/schema'
const mostLevels = 32
const mostSubschemas = 1000

/**
 * Whether a schema is simple and surely right, as that of most tools is: then it can be used as it stands. Everything
 * else has to be read closely, be it well-made or wrong.
 */
export function isSimple(schema: unknown): boolean {
  let left = mostSubschemas
  return isObject(schema) && fits(schema, 0)

  function fits(node: unknown, depth: number): boolean {
    if (typeof node === 'boolean') return true
    if (!isObject(node) || depth > mostLevels || --left < 0) return false
    for (const keyword in node) if (!isRight(keyword, node[keyword], depth)) return false
    return isBetween(node) && namesAreKnown(node)
  }

  function isRight(keyword: string, value: unknown, depth: number): boolean {
    switch (keyword) {
      case '$schema':
        return depth === 0 && value === dialect
      case 'type':
        return Array.isArray(value)
          ? value.length > 0 && value.every(each => typeNames.includes(each))
          : typeNames.includes(value)
      case 'properties':
        return isObject(value) && Object.values(value).every(each => fits(each, depth + 1))
      case 'items':
      case 'additionalProperties':
        return fits(value, depth + 1)
      case 'required':
        return Array.isArray(value) && value.every(name => typeof name === 'string')
      case 'enum':
        return Array.isArray(value) && value.length > 0
      case 'minimum':
      case 'maximum':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return typeof value === 'number'
      case 'multipleOf':
        return typeof value === 'number' && value > 0
      case 'minLength':
      case 'maxLength':
      case 'minItems':
      case 'maxItems':
        return Number.isSafeInteger(value) && (value as number) >= 0
      default:
        return keyword === 'const' || isRemark(keyword)
    }
  }
}

/** Whether a keyword says something to people only. */
export function isRemark(keyword: string): boolean {
  return remarks.includes(keyword)
}

const remarks: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
]

function isBetween({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...node }: Record<string, any>): boolean {
  const least = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity)
  const most = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity)
  const isOpen = exclusiveMinimum !== undefined || exclusiveMaximum !== undefined
  if (least > most || (least === most && isOpen)) return false
  return !(node.minLength > node.maxLength) && !(node.minItems > node.maxItems)
}

/** Where nothing else is allowed, what is required has to be declared. */
function namesAreKnown({ additionalProperties, required, properties = {} }: Record<string, any>): boolean {
  if (additionalProperties !== false || required === undefined) return true
  return required.every((name: string) => Object.hasOwn(properties, name))
}
