/** Somebody else has the device. The message says who, where it is known. */
export class DeviceBusyError extends Error {
  override readonly name = 'DeviceBusyError'
}

/** A device while it is owned. */
export interface Ownership {
  /** Gives the device back. */
  release(): void | Promise<void>
}

/**
 * The one place through which hardware and ports are taken, so that a device has one owner at a time and whoever comes
 * second is told who has it.
 */
export interface Owner {
  /**
   * Takes a device, by the name under which every program knows it (`/dev/ttyACM0`).
   *
   * @throws DeviceBusyError when it is taken
   */
  own(device: string, by: string): Ownership | Promise<Ownership>
}

/** An owner for one process: it knows what this process has taken, and nothing of others. */
export function processOwner(): Owner {
  const owned = new Map<string, string>()
  return {
    own(device, by) {
      const holder = owned.get(device)
      if (holder !== undefined)
        throw new DeviceBusyError(`${device} is in use by ${holder}: one program at a time may have it`)
      owned.set(device, by)
      return {
        release: () => {
          owned.delete(device)
        },
      }
    },
  }
}
