import { chooseSmall } from './choose-packs.ts'
import { repackOne } from './repack.ts'
import type { StoreParts } from './store-parts.ts'

/**
 * Seal the pack that this process writes, if there is one, and tidy the store. Each process that adds something would
 * leave a small pack: if there are many, they are copied into this one first. The caller has the turn.
 */
export async function sealOwnPack (parts: StoreParts): Promise<void> {
  const { appender, maintenance } = parts

  if (appender.isWriting) {
    await joinSmallPacks(parts).catch(() => {})
    await appender.seal()
  }

  // on a full disk, for example, it fails: nothing depends on it
  await maintenance.tidy().catch(() => {})
}

async function joinSmallPacks (parts: StoreParts): Promise<void> {
  const { view, maintenance, packSize } = parts
  const choose = (): string[] => chooseSmall(view.packs.values(), packSize).map(({ id }) => id)

  if (choose().length > 0) {
    await maintenance.ifFree(async () => {
      for (const id of choose()) {
        await repackOne(parts, id)
      }
    })
  }
}
