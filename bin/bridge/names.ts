/** What every host accepts as the name of a tool, with room for the prefix that hosts put before it. */
const longest = 64
const refused = /[^A-Za-z0-9_-]/g

/**
 * The name under which a device's tool or prompt is offered: its own where that can be, behind the prefix of the device
 * where there is one.
 *
 * @param isTaken tells whether another one has the name
 */
export function offeredName(name: string, prefix: string | undefined, isTaken: (name: string) => boolean): string {
  const whole = prefix === undefined ? name : `${prefix}_${name}`
  const base = whole.replace(refused, '_').slice(0, longest) || 'unnamed'
  let offered = base
  for (let number = 2; isTaken(offered); number++) {
    const ending = `_${number}`
    offered = base.slice(0, longest - ending.length) + ending
  }
  return offered
}

/** How the URIs of a device are offered: as they are, or behind its prefix, so that two devices may have the same. */
export interface OfferedUris {
  /** A URI of the device, or a template of URIs, as hosts see it. */
  toHost(uri: string): string
  /** The URI as the device knows it. */
  toDevice(uri: string): string
}

/** @param prefix the device's prefix, which becomes a part of the scheme: `lab+sensor://bench/light` */
export function offeredUris(prefix: string | undefined): OfferedUris {
  if (prefix === undefined) return { toHost: uri => uri, toDevice: uri => uri }
  // RFC 3986, section 3.1: a scheme begins with a letter, and has no underscore.
  const scheme = `${prefix.replace(/[^A-Za-z0-9.-]/g, '-').replace(/^(?![A-Za-z])/, 'x')}+`
  return {
    toHost: uri => scheme + uri,
    toDevice: uri => (uri.startsWith(scheme) ? uri.slice(scheme.length) : uri),
  }
}
