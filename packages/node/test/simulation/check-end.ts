import { damagedContent } from './commands.ts'
import { Violation } from './promises.ts'
import type { Content } from './contents.ts'
import type { Promises } from './promises.ts'
import type { SimulatedNode } from './simulated-node.ts'
import type { SimulatedStore } from './simulated-store.ts'

/** What a collection leaves nothing of. Sessions of killed processes stay until a round waits for them. */
const TRANSIENT = ['acks/', 'collections/', 'rounds/']

export interface EndInit {
  nodes: readonly SimulatedNode[]
  store: SimulatedStore
  contents: readonly Content[]
  promises: Promises
  /** Let events happen until a promise is settled. */
  settle: (work: Promise<void>) => Promise<void>
}

/** All processes have ended, and no request is under way: one collection deletes all garbage, and the rest is there. */
export async function checkEnd ({ nodes, store, contents, promises, settle }: EndInit): Promise<void> {
  const [{ newProcess, commands }] = nodes.map(node => ({
    newProcess: () => node.newProcess('end'), commands: node.commands.bind(node)
  }))

  for (let i = 0; ; i++) {
    try {
      await settle(commands(newProcess()).collect())
      break
    } catch (err) {
      const content = damagedContent(err, contents)

      if (content == null || promises.isKept(content) || i === contents.length) {
        throw new Violation(`the last collection fails: ${String(err)}`, { cause: err })
      }

      // the pin of an add that was never acknowledged
      await settle(commands(newProcess()).unpin(content))
    }
  }

  const rest = Array.from(store.objects.keys()).filter(key => TRANSIENT.some(prefix => key.startsWith(prefix)))

  if (rest.length > 0) {
    throw new Violation(`a collection leaves ${rest.join()}`)
  }

  promises.checkGarbage()

  for (const node of nodes) {
    for (const content of promises.kept) {
      await settle(node.commands(node.newProcess('end')).get(content))
    }
  }
}
