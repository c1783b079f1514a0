import type { CodecName, Levels } from '../codec.ts'
import type { ImplementationEntry } from './implementation-entry.ts'

/** The definition of a codec. Each codec has its own file, so a bundle contains only the codecs it uses. */
export interface CodecDefinition {
  readonly name: CodecName
  readonly code: number
  readonly levels: Levels
  /**
   * In order of preference: the first available one runs, unless `CodecInit` says otherwise.
   * docs/codecs.md has the measurements behind the order.
   */
  readonly implementations: readonly ImplementationEntry[]
}
