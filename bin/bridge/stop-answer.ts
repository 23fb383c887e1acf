import { cleanText } from '../../boards/remote/index.ts'
import { isObject, type StoppedOutput, type StopReport, type ToolResult } from '../../runtime/index.ts'

const states: readonly string[] = ['confirmed', 'set', 'unconfirmed', 'failed', 'none']
const mostOutputs = 256

/**
 * What a device says became of its outputs when it was told to stop. What it says is not believed beyond its form.
 *
 * @param nameOf how an output of the device is called here
 */
export function stopReportOf(
  { structuredContent, isError, content }: ToolResult,
  nameOf: (own: string) => string,
): StopReport {
  const { outputs, failures } = isObject(structuredContent) ? structuredContent : {}
  const told = Array.isArray(outputs) ? outputs.slice(0, mostOutputs).flatMap(each => outputOf(each, nameOf)) : []
  const failed = Array.isArray(failures) ? failures.slice(0, mostOutputs).map(each => cleanText(String(each))) : []
  const [first] = content
  const text = first?.type === 'text' ? cleanText(first.text) : 'the device says so'
  return {
    outputs: told,
    failures: isError === true && failed.length === 0 ? [`It was not stopped in good order: ${text}`] : failed,
  }
}

function outputOf(value: unknown, nameOf: (own: string) => string): StoppedOutput[] {
  if (!isObject(value) || typeof value.actuator !== 'string' || !states.includes(value.state as string)) return []
  return [{ actuator: nameOf(value.actuator), state: value.state as StoppedOutput['state'] }]
}
