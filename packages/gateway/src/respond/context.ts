import type { GatewayInit, GatewayLimits } from '../contract.ts'
import type { ChosenFormat, Format } from '../request/format.ts'
import type { Memory } from '../memory/client-memory.ts'
import type { Start } from '../request/start.ts'
import type { Target } from '../request/target.ts'
import type { ParsedRedirects } from '../resolve/parsed-redirects.ts'
import type { PathComponents } from '../resolve/resolve-path.ts'
import type { OpenedFile } from '../resolve/opened-file.ts'
import type { Resolved } from '../resolve/resolved.ts'
import type { Cache } from './cache.ts'
import type { FileTypes } from './file-types.ts'
import type { Representation, StoredBody, StoredFiles } from './stored-file.ts'
import type { ToldOnce } from './told-once.ts'
import type { CID } from 'multiformats/cid'

/** Answers with what a path leads to, in one format. */
export type Responder = (context: ResponseContext) => Promise<Response>

/** What a gateway remembers of what never changes, by CID. */
export interface GatewayCaches {
  /** Types of files that were told from their bytes. */
  types: ToldOnce
  /** SHA-256 of the original bytes of bases, in base64: for dictionaries. */
  digests?: ToldOnce
  redirects: ParsedRedirects
  /** The pages of directories. */
  pages: Cache<Uint8Array>
}

/** The parts of a gateway that one for browsers alone can do without. */
export interface GatewayParts {
  /** What answers each format. Others are refused with 406. */
  responders: Readonly<Partial<Record<Exclude<Format, 'file' | 'ipns-record'>, Responder>>>
  /** Responds with the start page. Without it, `/` is not found. */
  respondStart?: (request: Request, start: Start) => Response
  /** Answers with what is not UnixFS. */
  respondDocument: Responder
  /** Without it, all files are decompressed: browsers tell a worker of no codings that they accept. */
  storedFiles?: StoredFiles
  /** Sends files that are compressed with what the client has. Without it, none are. */
  dictionaries?: Dictionaries
  /** Lets pages of other origins read every response. */
  addCors?: (headers: Headers) => void
  /** Restricts pages on a host name that may be another site's. If not set, the caller does that. */
  addSandbox?: (headers: Headers) => void
  types: FileTypes
  caches: GatewayCaches
}

/** A file that a client may have the last version of, or will have the next one of. */
export interface VersionedFile {
  cid: CID
  file: OpenedFile
  /** Original bytes. Undefined: known only at the end. */
  size: number | undefined
  isCompressed: boolean
}

/** Compression dictionaries (RFC 9842). */
export interface Dictionaries {
  /** The SHA-256 of the dictionary that the client has, in base64, if a response may be compressed with it. */
  usable (context: ResponseContext): string | undefined
  /** The file as it is stored, if the client has its base as a dictionary. */
  chooseDelta (context: ResponseContext, file: VersionedFile, available: string): Promise<Representation | undefined>
  /** The file, if the client has it already, or has another version than its base, and there is time to compress. */
  makeDelta (
    context: ResponseContext,
    file: VersionedFile,
    available: string,
    unneeded: AbortController
  ): Promise<StoredBody | undefined>
  /**
   * Say that a file may be a dictionary, and whether the response depends on the one that the client has.
   *
   * @param hasBase - whether the client has the base of the file
   */
  offer (context: ResponseContext, file: VersionedFile, headers: Headers, hasBase: boolean): Promise<void>
}

/** What every kind of response is made from. */
export interface ResponseContext extends ChosenFormat {
  request: Request
  target: Target
  resolved: Resolved
  components: PathComponents
  init: GatewayInit & { limits: GatewayLimits, memory: Memory, parts: GatewayParts }
  /** Aborted when the client goes away or a limit is met. */
  signal: AbortSignal
}
