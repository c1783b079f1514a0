import type { Target } from './target.ts'

/** How the client wants what the path leads to. `file`: as a browser does. */
export type Format =
  'file' | 'raw' | 'car' | 'tar' | 'json' | 'cbor' | 'dag-json' | 'dag-cbor' | 'ipns-record'

/** The format of a response, and whether the client named it. */
export interface ChosenFormat {
  format: Format
  /** Whether `?format` or `Accept` named it. */
  explicit: boolean
}

/** Stands in for content negotiation: knows `raw` alone. */
export function chooseFormat (target: Target, request: Request): ChosenFormat {
  const isRaw = target.query.has('format')
    ? target.query.get('format') === 'raw'
    : request.headers.get('accept') === 'application/vnd.ipld.raw'

  return isRaw ? { format: 'raw', explicit: true } : { format: 'file', explicit: false }
}
