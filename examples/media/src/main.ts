import { startWorker } from './start-worker.ts'

const query = new URLSearchParams(location.search)
const address = query.get('address')

for (const [name, value] of query) {
  const input = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(name)}"]`)

  if (input != null) {
    input.value = value
  }
}

if (address != null) {
  play(address).catch(err => { show('p', { role: 'alert', textContent: String(err) }) })
}

/** Play a file through the service worker, which reads only the parts that the player asks for. */
async function play (address: string): Promise<void> {
  await startWorker(query.getAll('gateway'))
  countFetched()

  const url = `/ipfs/${address.split('/').map(encodeURIComponent).join('/')}`
  const response = await fetch(url, { method: 'HEAD' })
  const type = response.headers.get('content-type') ?? ''

  if (!response.ok) {
    throw new Error(`The file cannot be read (status ${response.status})`)
  }

  const player = show(type.startsWith('audio/') ? 'audio' : 'video', { controls: true, preload: 'metadata', src: url })
  player.addEventListener('error', () => {
    show('p', { role: 'alert', textContent: `This browser cannot play this file (${type})` })
  })
}

/** Show what the gateway has sent so far. */
function countFetched (): void {
  let blocks = 0
  let bytes = 0

  new BroadcastChannel('fetched').addEventListener('message', ({ data }: MessageEvent<{ size: number }>) => {
    blocks++
    bytes += data.size
    const text = `${blocks} blocks, ${(bytes / 1e6).toFixed(2)} MB fetched`
    document.querySelector('#fetched')?.replaceChildren(text)
  })
}

/** Show an element in place of what was there. */
function show<Name extends 'audio' | 'video' | 'p'> (
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties)
  document.querySelector('#player')?.replaceChildren(element)

  return element
}
