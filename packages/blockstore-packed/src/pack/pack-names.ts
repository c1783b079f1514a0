export const PACKS = 'packs'
export const INDEX = 'index'
export const LOCKS = 'locks'
export const CHANGES = 'changes'

export const MAINTENANCE = `${LOCKS}/maintenance`

const PACK_NAME = /^([0-9a-f]{32})\.car\.zst$/u

export function packName (id: string): string {
  return `${PACKS}/${id}.car.zst`
}

export function lockName (id: string): string {
  return `${LOCKS}/${id}`
}

/** The ID of a pack, by the name of a file: undefined if it is none. */
export function idOf (name: string): string | undefined {
  return PACK_NAME.exec(name)?.[1]
}
