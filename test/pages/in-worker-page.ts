/* oxlint-disable unicorn/consistent-function-scoping -- a function is sent as text: it can use nothing outside of it */

/** Functions that run in a page. */

/** Register a worker, and wait until it answers this page's requests. */
export async function registerWorker (url: string): Promise<void> {
  const controlled = new Promise(resolve => {
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
  })

  await navigator.serviceWorker.register(url)
  await controlled
}

/** Register another worker, which waits for the end of the one before it. */
export async function installWorker (url: string): Promise<void> {
  const registration = await navigator.serviceWorker.register(url)

  while (registration.waiting == null) {
    await new Promise(resolve => { registration.installing?.addEventListener('statechange', resolve) })
  }
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Bytes and SHA-256 of the body. */
  length: number
  sha256: string
  /** The start of the body. */
  text: string
}

export async function ask (
  { url, ...init }: { url: string, headers?: Record<string, string>, method?: string }
): Promise<Answer> {
  const response = await fetch(url, init)
  const body = await response.arrayBuffer()
  const digest = await crypto.subtle.digest('SHA-256', body)

  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    length: body.byteLength,
    sha256: Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join(''),
    text: new TextDecoder().decode(body.slice(0, 1000))
  }
}

/** Begin to read a body, and wait for its first bytes. `finishReading` goes on. */
export async function startReading (url: string): Promise<void> {
  const { body } = await fetch(url)
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()

  Object.assign(globalThis, { reader, received: value?.byteLength ?? 0 })
}

/** Read on to the end. Returns the bytes of the body, or the name of the error that ended it. */
export async function finishReading (): Promise<number | string> {
  const { reader, received } = globalThis as unknown as {
    reader: ReadableStreamDefaultReader<Uint8Array>
    received: number
  }
  let length = received

  try {
    for (;;) {
      const { done, value } = await reader.read()

      if (done) {
        return length
      }

      length += value.byteLength
    }
  } catch (err) {
    return (err as Error).name
  }
}
