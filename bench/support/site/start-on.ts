import type { RunningSide, SideInit } from './side.ts'
import type { RunningStorage, Storage } from './storage.ts'

/** Start a storage, and nodes on it. The storage ends with the nodes, and if they do not start. */
export async function startOn (
  storage: Storage,
  init: SideInit,
  start: (stored: RunningStorage) => Promise<RunningSide>
): Promise<RunningSide> {
  const stored = await storage.start(init)

  try {
    const { close, ...running } = await start(stored)

    return {
      ...running,
      ...stored.kill == null ? {} : { killStorage: stored.kill },
      close: async () => {
        await close()
        await stored.close()
      }
    }
  } catch (err) {
    await stored.close()
    throw err
  }
}
