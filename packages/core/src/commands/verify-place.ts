/** A position in the walk of `verify`. */
export interface Place {
  parent?: Place
  /** Empty for the verified root, and for a shard, which is a part of its parent. */
  name: string
  depth: number
  /** Bytes of the blocks and names above. All of them are in memory. */
  open: number
}

/** A path relative to the verified directory. Joined only when it is needed: names may be long, and levels many. */
export function pathOf (place: Place): string {
  const names: string[] = []

  for (let at: Place | undefined = place; at != null; at = at.parent) {
    if (at.name !== '') {
      names.push(at.name)
    }
  }

  return names.toReversed().join('/')
}
