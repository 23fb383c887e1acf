import { DeviceFailure, ErrorCode, RpcError } from '../errors.ts'
import { isObject } from '../json.ts'
import { metaKey } from './envelope.ts'
import type { DeviceError } from './failures.ts'
import type { Result } from './requests.ts'

/** A device's result without what belongs to its era only. */
export function neutral({ resultType, _meta, ...result }: Result, deviceName: string): Result {
  if (resultType !== undefined && resultType !== 'complete') {
    throw new DeviceFailure(`${deviceName} answered with a result of a kind that is not known here`)
  }
  if (!isObject(_meta)) return result
  const { [metaKey.serverInfo]: _serverInfo, ...meta } = _meta
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta }
}

/** What a host is told of a device's error, in codes that mean the same to it. */
export function passedOnError(error: DeviceError, method: string, uri?: string): RpcError {
  const { code, message, data } = error
  const text = shortened(message)
  switch (code) {
    case ErrorCode.ResourceNotFound:
      return new RpcError(ErrorCode.ResourceNotFound, text, isObject(data) ? data : { uri })
    case ErrorCode.InvalidParams: {
      const isMissing = method === 'resources/read' && isObject(data) && data.uri === uri
      return new RpcError(isMissing ? ErrorCode.ResourceNotFound : ErrorCode.InvalidParams, text, data)
    }
    case ErrorCode.MissingRequiredClientCapability:
      return isObject(data) && isObject(data.requiredCapabilities)
        ? new RpcError(code, text, data)
        : new RpcError(ErrorCode.InternalError, text)
    default:
      // Codes that the specification keeps for itself mean something else to a host than they did to us.
      return code < -32768 || (code > -32000 && code !== 0)
        ? new RpcError(code, text, data)
        : new RpcError(ErrorCode.InternalError, text)
  }
}

/** What the model is told of a device's error: its text, and the pages that the person has to visit first (2025-11-25). */
export function toldError({ code, message, data }: DeviceError): string {
  const pages =
    code === urlElicitationRequired && isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  const urls = pages.flatMap(page => (isObject(page) && typeof page.url === 'string' ? [page.url] : []))
  return shortened(
    urls.length === 0 ? message : `${message}. Let the person visit ${urls.join(' and ')}, then call again`,
  )
}

const urlElicitationRequired = -32042

/** A text of a device: on one line, and not endless. */
export function shortened(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return line.length > 1000 ? `${line.slice(0, 1000)}…` : line
}
