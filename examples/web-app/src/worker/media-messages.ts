/** What the page and its service worker say to each other about a file that is played. */

/** From the worker to the page: a player asks for a file, or a part of it. A port for the answer comes with it. */
export interface MediaRequest {
  /** Where to find the file, as the page has named it. */
  media: string
  /** The `Range` of the request. */
  range: string | null
}

/** The first answer of the page. */
export interface MediaHead {
  status: number
  headers: Record<string, string>
}

/** From the worker, once for each piece: send the next one, or none any more. */
export type MediaDemand = 'next' | 'cancel'

/** From the page: the next bytes; nothing more; or why it cannot go on. */
export type MediaPiece = { bytes: Uint8Array<ArrayBuffer> } | { done: true } | { error: string }
