import { respondBlock } from './block.ts'
import { respondFile } from './file.ts'
import { GatewayError } from '../errors.ts'
import type { ResponseContext } from './context.ts'
import type { Format } from '../request/format.ts'

export type Responder = (context: ResponseContext) => Promise<Response>

async function notImplemented ({ format }: ResponseContext): Promise<Response> {
  throw new GatewayError(501, `The format ${format} is not served here`)
}

/** A file, or the page of a directory. */
async function respondDeserialized (context: ResponseContext): Promise<Response> {
  const { stats } = context.resolved

  return stats == null || stats.type === 'directory' ? notImplemented(context) : respondFile(context)
}

/** What answers each format. */
export const RESPONDERS: Readonly<Record<Format, Responder>> = {
  file: respondDeserialized,
  raw: respondBlock,
  car: notImplemented,
  tar: notImplemented,
  json: notImplemented,
  cbor: notImplemented,
  'dag-json': notImplemented,
  'dag-cbor': notImplemented,
  'ipns-record': notImplemented
}
