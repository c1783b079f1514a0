import type { MediaDemand, MediaHead, MediaPiece, MediaRequest } from './media-messages.ts'

/** A page. */
export interface Client {
  postMessage (message: MediaRequest, transfer: Transferable[]): void
}

/** Below the scope of the worker. */
const FOLDER = 'media/'

/** Whether a URL names a file that a page plays. */
export function isMediaUrl (url: string, scope: string): boolean {
  return url.startsWith(`${scope}${FOLDER}`)
}

/**
 * Answer a player with what its page reads. Only the page knows where the blocks are: in its storage, or with peers.
 * It sends a piece at a time, when the player takes one.
 */
export async function relayMedia (
  request: Request,
  findClient: () => Promise<Client | undefined>
): Promise<Response> {
  const client = await findClient()

  if (client == null) {
    return new Response('The page that plays this file was closed', { status: 404 })
  }

  const { port1: port, port2 } = new MessageChannel()
  const media = request.url.slice(request.url.lastIndexOf('/') + 1)
  const answered = nextMessage<MediaHead>(port)

  client.postMessage({ media, range: request.headers.get('range') }, [port2])

  const { status, headers } = await answered

  return new Response(status < 300 ? bodyFrom(port) : null, { status, headers })
}

function bodyFrom (port: MessagePort): ReadableStream<Uint8Array> {
  const demand = (what: MediaDemand): void => { port.postMessage(what) }

  return new ReadableStream({
    async pull (controller) {
      const answered = nextMessage<MediaPiece>(port)
      demand('next')
      const piece = await answered

      if ('bytes' in piece) {
        controller.enqueue(piece.bytes)
        return
      }

      port.close()

      if ('done' in piece) {
        controller.close()
      } else {
        controller.error(new Error(piece.error))
      }
    },

    cancel () {
      demand('cancel')
      port.close()
    }
  }, { highWaterMark: 0 })
}

async function nextMessage<Message> (port: MessagePort): Promise<Message> {
  return new Promise(resolve => {
    port.addEventListener('message', ({ data }: MessageEvent<Message>) => { resolve(data) }, { once: true })
    port.start()
  })
}
