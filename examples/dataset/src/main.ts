import { unmark } from '@ipfsz/core/reader'
import { CID } from 'multiformats/cid'
import { startWorker } from '../../media/src/start-worker.ts'
import { Side } from './side.ts'
import { table } from './table.ts'
import type { Fetched } from './side.ts'

const query = new URLSearchParams(location.search)
const form = byId<HTMLFormElement>('query')
const stop = byId<HTMLButtonElement>('stop')
/** By the plain CID of their root. */
const sides = new Map<string, Side>()

for (const [name, value] of query) {
  const input = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`)

  if (input != null) {
    input.value = value
  }
}

if (query.has('compressed')) {
  open().catch(fail)
}

async function open (): Promise<void> {
  await startWorker(query.getAll('gateway'))

  for (const [name, title] of Object.entries({ compressed: 'Compressed', plain: 'Uncompressed' })) {
    const address = query.get(name) ?? ''

    if (address !== '') {
      const side = new Side(title, address)
      const [root = ''] = address.split('/')
      // blocks are fetched below plain roots
      sides.set(unmark(CID.parse(root)).toString(), side)
      byId('sides').append(side.element)
    }
  }

  new BroadcastChannel('fetched').addEventListener('message', ({ data }: MessageEvent<Fetched>) => {
    sides.get(data.root)?.add(data)
  })

  form.addEventListener('submit', event => {
    event.preventDefault()
    run().catch(fail)
  })
  stop.addEventListener('click', () => { sides.forEach(side => { side.stop() }) })
  form.hidden = false
}

/** Run the query on one side after the other, so that they do not share the link. */
async function run (): Promise<void> {
  const sql = String(new FormData(form).get('sql'))
  const [first, ...others] = sides.values()
  stop.disabled = false
  byId('result').replaceChildren()

  try {
    const result = await first?.run(sql)

    if (result != null) {
      byId('result').replaceChildren(table(result))
    }

    for (const other of others) {
      await other.run(sql)
    }
  } finally {
    stop.disabled = true
  }
}

function fail (err: unknown): void {
  const message = document.createElement('p')
  message.role = 'alert'
  message.textContent = err instanceof Error ? err.message : String(err)
  byId('result').replaceChildren(message)
}

function byId<Type extends HTMLElement> (id: string): Type {
  const element = document.getElementById(id)

  if (element == null) {
    throw new Error(`There is no element ${id}`)
  }

  return element as Type
}
