/** Keeps a device telling of changes of resources, in the way of one era. */
export interface Subscriptions {
  /** Asks to hear of changes of one more resource. */
  add(uri: string): Promise<void>
  /** Nobody wants to hear of this one any more. */
  remove(uri: string): void
  /** Begins: asks for what there is to hear without naming a resource, and for these. */
  start(uris: readonly string[]): Promise<void>
  /** The device took a subscription on. */
  acknowledged(params: Record<string, unknown>): void
  /** The device ended a request that was open. */
  ended(id: unknown): void
  /** The device is gone. */
  close(): void
}
