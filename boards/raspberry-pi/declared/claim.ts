/** Something that there is once, and that an entry takes: a pin, an address, an input of a chip. */
export interface Claim {
  /** Names it among all others: `GPIO17`, `i2c 1 0x48`. */
  readonly what: string
  /** What messages call it: `GPIO17 (pin 11)`. */
  readonly title: string
  /** What it is used as, where that is not plain: `SDA of i2c-1`. */
  readonly as?: string
  /** Entries that say the same here may have it together. */
  readonly together?: string
  /** What somebody can do who has taken it twice. */
  readonly advice: string
}

/** An entry and what it takes. */
export interface Claimant {
  /** `sensors.door` */
  readonly where: string
  readonly claims: readonly Claim[]
}

/** What was taken twice, by whom. */
export interface Collision {
  readonly where: string
  readonly text: string
}

/** Finds what more than one entry has taken. Each entry is told of one thing once. */
export function collisions(claimants: readonly Claimant[]): Collision[] {
  const takers = new Map<string, { where: string; claim: Claim }[]>()
  const found = new Map<string, Collision>()
  for (const { where, claims } of claimants) {
    for (const claim of claims) {
      const earlier = takers.get(claim.what) ?? []
      takers.set(claim.what, [...earlier, { where, claim }])
      const other = earlier.find(({ claim: { together } }) => together === undefined || together !== claim.together)
      if (other === undefined) continue
      // A pin that a bus needs is not what can be changed: the other one is told.
      const movable = claim.as !== undefined && other.claim.as === undefined
      const [told, holder] = movable ? [other, { where, claim }] : [{ where, claim }, other]
      const key = `${told.where} ${claim.what}`
      if (!found.has(key))
        found.set(key, { where: told.where, text: takenText(told.claim, holder.where, holder.claim) })
    }
  }
  return [...found.values()]
}

function takenText({ title, advice }: Claim, holder: string, { as }: Claim): string {
  return `${title} is taken by ${holder} already${as === undefined ? '' : `, as ${as}`}. ${advice}`
}
