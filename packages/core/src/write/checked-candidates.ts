import { checkEntryName, splitPath, withoutDots } from '../directory/entry-name.ts'
import { AlreadyExistsError, InvalidParametersError } from '../errors.ts'
import { closeSource } from '../util/close-source.ts'
import { MAX_PATH_DEPTH } from '../constants.ts'
import type { AddCandidate, AddCandidateStream, WrittenCandidate } from '../unixfs.ts'

export type Candidate = AddCandidate

/** What a path in the import is. `parent`: a directory known only because something is in it. */
type Kind = 'file' | 'directory' | 'parent'

/**
 * Validates import candidates on their way to ipfs-unixfs-importer, which would silently
 * drop the first of two candidates with the same path. Keeps track of every open source, so
 * that all of them can be closed when the import fails.
 */
export class CheckedCandidates {
  readonly #source: AddCandidateStream
  readonly #wrapped: boolean
  /** Whether the caller says that no path occurs twice: to check that takes memory for each. */
  readonly #unique: boolean
  readonly #kinds = new Map<string, Kind>()
  readonly #open = new Set<object>()
  /** How many candidates were taken. */
  #taken = 0
  #closed = false

  constructor (
    source: AddCandidateStream,
    { wrapWithDirectory = false, depthFirst = false }: { wrapWithDirectory?: boolean, depthFirst?: boolean }
  ) {
    this.#unique = depthFirst
    // the importer accepts a single candidate too
    this.#source = isIterable(source) ? source : [source as unknown as Candidate]
    this.#wrapped = wrapWithDirectory
  }

  /**
   * @throws {InvalidParametersError} a path contains `..` or an escaped slash, or too many names
   * @throws {AlreadyExistsError} two candidates have the same path
   */
  async * [Symbol.asyncIterator] (): AsyncGenerator<Candidate> {
    for await (const candidate of this.#source) {
      this.#taken++

      if (this.#closed) {
        // it was being read when the import failed
        closeSource('content' in candidate ? candidate.content : undefined)
        return
      }

      if ('written' in candidate) {
        this.#enterAll(candidate)
        yield candidate
        continue
      }

      const { path, mode, mtime } = candidate
      const content = 'content' in candidate ? this.#track(candidate.content) : undefined
      const link = 'link' in candidate ? candidate.link : undefined

      if (typeof path === 'string') {
        this.#enter(path, content != null || link != null)
      }

      // a copy, because the importer modifies its input
      yield { path, mode, mtime, content, link } as Candidate
    }
  }

  /** Close every source that was not read to its end, and end. */
  closeSources (): void {
    this.#closed = true

    for (const source of this.#open) {
      closeSource(source)
    }

    // streams in a list are open already
    for (const rest of Array.isArray(this.#source) ? this.#source.slice(this.#taken) as unknown[] : []) {
      // not checked yet: an error here would replace that of the import, and leave the streams after it open
      closeSource((rest as { content?: unknown } | null | undefined)?.content)
    }
  }

  #enterAll ({ path, written }: WrittenCandidate): void {
    if (splitPath(withoutDots(path)).length === 0) {
      throw new InvalidParametersError('Files that are already stored need a directory')
    }

    if (!this.#unique) {
      written.forEach(({ name }) => { this.#enter(`${path}/${name}`, true) })
      return
    }

    this.#enter(path, false)
    written.forEach(({ name }) => { checkEntryName(name) })
  }

  #enter (path: string, isFile: boolean): void {
    // split like the importer does
    const names = splitPath(withoutDots(path))
    let entered = ''

    if (names.length > MAX_PATH_DEPTH) {
      throw new InvalidParametersError(`A path of ${names.length} names exceeds the limit of ${MAX_PATH_DEPTH}`)
    }

    for (const [i, name] of names.entries()) {
      checkEntryName(name)

      if (this.#unique) {
        continue
      }

      entered += `/${name}`
      const kind = this.#kinds.get(entered)

      if (i < names.length - 1) {
        if (kind === 'file') {
          throw new AlreadyExistsError(`${entered} is a file: nothing can be added below it`)
        }

        this.#kinds.set(entered, 'parent')
      } else {
        // several files may have the same name if no directory is made of them
        const alone = kind === 'file' && isFile && i === 0 && !this.#wrapped

        if (kind != null && !alone && !(kind === 'directory' && !isFile)) {
          throw new AlreadyExistsError(kind === 'parent' && !isFile
            ? `The directory ${entered} must be added before its content`
            : `${entered} occurs twice`)
        }

        this.#kinds.set(entered, isFile ? 'file' : 'directory')
      }
    }
  }

  #track<T> (content: T): T | AsyncGenerator<Uint8Array> {
    if (content instanceof Uint8Array || !isIterable(content)) {
      // nothing to close; if it is not readable the importer reports it
      return content
    }

    this.#open.add(content)

    return this.#read(content)
  }

  async * #read (content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield * content
    } finally {
      this.#open.delete(content)
    }
  }
}

function isIterable (value: unknown): value is AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return value != null && typeof value === 'object' && (Symbol.asyncIterator in value || Symbol.iterator in value)
}
