import type { LinkDatastore } from '@ipfsz/core'
import type { Datastore, Key, Pair } from 'interface-datastore'

/** Pins and histories by key: records of a repo, or of a store that several nodes share. */
export interface Records extends Pick<Datastore, 'has' | 'get' | 'put' | 'delete' | 'query'> {
  /**
   * Put many records with different keys.
   *
   * @returns an error for each record, in their order, or undefined if it is stored
   */
  putEach (records: readonly Pair[]): Promise<Array<Error | undefined>>
  /**
   * Read a record that anybody may have written.
   *
   * @returns undefined if there is none
   * @throws {TypeError} it has more than `maxSize` bytes, or is something else than a record
   */
  read (key: Key, maxSize: number): Promise<Uint8Array | undefined>
  /** The keys right below a prefix. */
  keys (prefix: string, signal: AbortSignal): AsyncIterable<Key>
  /** When a record was written. */
  modified (key: Key): Promise<Date>
  /** Where a record lies, for messages. */
  placeOf (key: Key): string
}

/** Links, opened. */
export interface LinkRecords extends LinkDatastore {
  close (): Promise<void>
}

/** The links of a repo or a store. */
export interface Links {
  /** Whether there are links, or once were. */
  exist (): Promise<boolean>
  /** @param init.writes - whether any are written */
  open (init: { writes: boolean, signal: AbortSignal }): LinkRecords
}
