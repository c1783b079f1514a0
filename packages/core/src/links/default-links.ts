// Above 250 lines: adding, deleting and pruning rely on one order of writes, which is easier to check in one place.
/**
 * Links between a file's original CID, which its bytes have uncompressed, and the CID of its
 * compressed form.
 *
 * A link has two entries in the datastore: a forward one under the original CID, and a
 * reverse one under the compressed CID. The forward entry decides: a reverse entry counts
 * only if the original's forward entry agrees. So every link is added, moved or deleted by
 * writing one key, which all datastores do atomically. A kill at any moment leaves both
 * directions or neither:
 *
 * - add: write the reverse entry, then the forward entry (now the link exists), then remove
 *   the original's previous reverse entry, if any
 * - delete: delete the forward entry (now the link is gone), then the reverse one
 *
 * A datastore batch would not do: datastore-fs writes one file per key, in any order, so a
 * kill could leave a forward entry without its reverse one.
 *
 * After a kill, a reverse entry may remain that does not count. Adding or deleting the same
 * link removes it, and so does pruning. Reading does not remove it: it may be the first half
 * of a link that another process is adding.
 */
import { Mutex } from '@ipfsz/utils/mutex'
import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { compareOriginal, comparing } from './compare-original.ts'
import {
  InvalidParametersError, LinkedFileMissingError, LinkMismatchError, LinksUnavailableError, UncheckedLinkError
} from '../errors.ts'
import {
  canBeOriginal,
  decodeEntry,
  decodeForward,
  deleteForward,
  FORWARD,
  inlineFile,
  isChecked,
  isSame,
  keepConfirmed,
  readForward,
  readReverse,
  REVERSE,
  UNCHECKED,
  writeForward,
  writeReverse
} from './link-entries.ts'
import { queryLinks } from './link-query.ts'
import { isMarked, TREE_CODE, unmark } from '../marker.ts'
import type { LinkRecord } from './link-entries.ts'
import type { AddLinkOptions, Link, LinkDatastore, LinkOptions, Links, LinksComponents, PruneOptions } from './links.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The turns of those who change the links of a datastore. */
const turnsOf = new WeakMap<LinkDatastore, Mutex>()

export class DefaultLinks implements Links {
  readonly comparing = comparing
  readonly #blockstore: LinksComponents['blockstore']
  readonly #datastore: LinkDatastore | undefined
  readonly #read: LinksComponents['read']
  readonly #stat: LinksComponents['stat']

  constructor ({ blockstore, datastore, read, stat }: LinksComponents) {
    this.#blockstore = blockstore
    this.#datastore = datastore
    this.#read = read
    this.#stat = stat
  }

  /** Whether there is a datastore for links. */
  get available (): boolean {
    return this.#datastore != null
  }

  async add (original: CID, compressed: CID, options: AddLinkOptions = {}): Promise<void> {
    this.#requireDatastore()
    checkSides(original, compressed)
    await this.#requireFile(original, compressed, options)

    const compare = options.unchecked === true ? this.#refuseCertain : this.#compare
    const check = await compare.call(this, { original, compressed }, options)
    await this.#put({ original, compressed, check: check ?? UNCHECKED }, options)
  }

  /** Add a link that needs no comparison, because the compressed file was just made from the original's bytes. */
  async addChecked (link: Required<LinkRecord>, options: LinkOptions): Promise<void> {
    this.#requireDatastore()
    checkSides(link.original, link.compressed)
    await this.#requireFile(link.original, link.compressed, options)
    await this.#put(link, options)
  }

  /** Store that a link was compared, if it still exists. */
  async keepCheck (link: Required<LinkRecord>, options: LinkOptions): Promise<void> {
    await this.#write(options, async datastore => {
      const now = await readForward(datastore, link.original)

      if (now != null && isSame(now.compressed, link.compressed)) {
        await writeForward(datastore, { ...now, check: link.check })
      }
    })
  }

  async #requireFile (original: CID, compressed: CID, options: LinkOptions): Promise<void> {
    if (!await this.#blockstore.has(unmark(compressed), options as Parameters<Blockstore['has']>[1])) {
      throw new LinkedFileMissingError(original, compressed)
    }
  }

  /**
   * Refuse a link that is certain to be wrong, after reading at most one block of bytes.
   *
   * @throws {LinkMismatchError}
   */
  async #refuseCertain ({ original, compressed }: LinkRecord, options: AddLinkOptions): Promise<string | undefined> {
    const isWhole = original.code === raw.code || inlineFile(original) != null

    try {
      if (compressed.code !== TREE_CODE && isWhole) {
        const link = { original, compressed, check: UNCHECKED }

        return await compareOriginal(link, this.#read(compressed, options), options)
      }

      await this.#compareRoots(original, compressed, options)
      return undefined
    } catch (err) {
      options.signal?.throwIfAborted()

      if (err instanceof LinkMismatchError) {
        throw err
      }

      // a file that cannot be read now proves nothing
      return undefined
    }
  }

  /** @throws {LinkMismatchError} the root of the original is stored, and is of another type or size */
  async #compareRoots (original: CID, compressed: CID, { signal }: AddLinkOptions): Promise<void> {
    if (this.#stat == null || !await this.#blockstore.has(original, { signal: signal ?? undefined })) {
      return
    }

    const [stored, linked] = await Promise.all([original, compressed].map(async cid => this.#stat?.(cid, { signal })))
    const sameType = stored?.type === linked?.type
    const isFile = linked?.type === 'file' && linked.sizeKnown !== false

    if (!sameType || (isFile && stored?.size !== linked.size)) {
      throw new LinkMismatchError(original, compressed, 'kind', [])
    }
  }

  /** Read the whole file, and find the layout with which its bytes have the original's CID. */
  async #compare (link: LinkRecord, options: AddLinkOptions): Promise<string | undefined> {
    if (link.compressed.code === TREE_CODE) {
      throw new UncheckedLinkError(link.original, link.compressed, 'directory')
    }

    return compareOriginal(link, this.#read(link.compressed, options), options)
  }

  async #put (link: Required<LinkRecord>, options: LinkOptions): Promise<void> {
    const { original, compressed } = link

    await this.#write(options, async datastore => {
      const before = await readForward(datastore, original)
      const others = (await readReverse(datastore, compressed)).filter(cid => !isSame(cid, original))

      await writeReverse(datastore, compressed, [...await keepConfirmed(datastore, others, compressed), original])
      // adding a checked link again as unchecked does not make it unchecked
      const staysChecked = before?.check != null && isChecked(before) &&
        before.compressed.equals(compressed) && !isChecked(link)
      const check = staysChecked ? before.check : link.check
      await writeForward(datastore, { original, compressed, check })

      if (before != null && !isSame(before.compressed, compressed)) {
        await removeReverse(datastore, before)
      }
    })
  }

  async get (cid: CID, options: LinkOptions = {}): Promise<CID | undefined> {
    const datastore = this.#requireDatastore()
    options.signal?.throwIfAborted()

    return await raceSignal(lookUp(datastore, cid), options.signal)
  }

  async linkOf (original: CID): Promise<LinkRecord | undefined> {
    return readForward(this.#requireDatastore(), original)
  }

  /** The links to a compressed file, the newest last. */
  async linksTo (compressed: CID): Promise<LinkRecord[]> {
    const datastore = this.#requireDatastore()
    const originals = await keepConfirmed(datastore, await readReverse(datastore, compressed), compressed)
    const links = await Promise.all(originals.map(async original => readForward(datastore, original)))

    return links.filter(link => link != null)
  }

  async delete (cid: CID, options: LinkOptions = {}): Promise<void> {
    await this.#write(options, async datastore => {
      const link = isMarked(cid) ? undefined : await readForward(datastore, cid)

      if (link != null) {
        await deleteLink(datastore, link)
      }

      const originals = await readReverse(datastore, cid)

      for (const original of await keepConfirmed(datastore, originals, cid)) {
        await deleteForward(datastore, original)
      }

      if (originals.length > 0) {
        await writeReverse(datastore, cid, [])
      }
    })
  }

  async * list (options: LinkOptions = {}): AsyncGenerator<Link> {
    for await (const entries of queryLinks(this.#requireDatastore(), FORWARD, options.signal)) {
      for (const entry of entries) {
        const link = decodeForward(entry)
        const { original, compressed, check } = link
        yield { original, compressed, ...check == null ? {} : { checked: isChecked(link) } }
        options.signal?.throwIfAborted()
      }
    }
  }

  async prune (options: PruneOptions = {}): Promise<number> {
    const { has = async cid => this.#blockstore.has(cid) } = options
    const gone: Link[] = []
    const stale: CID[] = []

    // deleted only after the query, which may or may not see concurrent changes
    for await (const link of this.list(options)) {
      if (!await has(unmark(link.compressed))) {
        gone.push(link)
      }
    }

    for (const link of gone) {
      await this.#write(options, async datastore => deleteLink(datastore, link))
    }

    for await (const entries of queryLinks(this.#requireDatastore(), REVERSE, options.signal)) {
      for (const entry of entries) {
        options.signal?.throwIfAborted()
        const [compressed, ...originals] = decodeEntry(entry, 1)

        if ((await keepConfirmed(this.#requireDatastore(), originals, compressed)).length < originals.length) {
          stale.push(compressed)
        }
      }
    }

    for (const compressed of stale) {
      await this.#write(options, async datastore => {
        const originals = await readReverse(datastore, compressed)
        await writeReverse(datastore, compressed, await keepConfirmed(datastore, originals, compressed))
      })
    }

    return gone.length
  }

  #requireDatastore (): LinkDatastore {
    if (this.#datastore == null) {
      throw new LinksUnavailableError()
    }

    return this.#datastore
  }

  /** Run one change at a time, because each reads what it then writes. Once begun, it ignores the signal. */
  async #write ({ signal }: LinkOptions, update: (datastore: LinkDatastore) => Promise<void>): Promise<void> {
    const datastore = this.#requireDatastore()

    const turns = turnsOf.get(datastore) ?? new Mutex()
    turnsOf.set(datastore, turns)

    await turns.run(async () => {
      signal?.throwIfAborted()
      const work = async (): Promise<void> => update(datastore)

      await (datastore.change?.(work) ?? work())
    })
  }
}

async function lookUp (datastore: LinkDatastore, cid: CID): Promise<CID | undefined> {
  const link = isMarked(cid) ? undefined : await readForward(datastore, cid)

  return link?.compressed ?? (await keepConfirmed(datastore, await readReverse(datastore, cid), cid)).at(-1)
}

/** Delete a link, unless its original has been linked to another file since. */
async function deleteLink (datastore: LinkDatastore, link: Link): Promise<void> {
  const now = await readForward(datastore, link.original)

  if (now != null && isSame(now.compressed, link.compressed)) {
    await deleteForward(datastore, link.original)
    await removeReverse(datastore, link)
  }
}

/** Remove a deleted link from its reverse entry. */
async function removeReverse (datastore: LinkDatastore, { original, compressed }: Link): Promise<void> {
  const originals = await readReverse(datastore, compressed)

  if (originals.length > 0) {
    await writeReverse(datastore, compressed, originals.filter(cid => !isSame(cid, original)))
  }
}

function checkSides (original: CID, compressed: CID): void {
  if (!isMarked(compressed)) {
    throw new InvalidParametersError(`The compressed side of a link must be a marked CID: ${compressed} is not marked`)
  }

  if (isMarked(original)) {
    throw new InvalidParametersError(`The original side of a link must not be a marked CID: ${original} is marked`)
  }

  if (!canBeOriginal(original, compressed)) {
    throw new LinkMismatchError(original, compressed, 'kind', [])
  }

  if (isSame(original, compressed)) {
    throw new InvalidParametersError(`Cannot link a file to itself: ${original} and ${compressed} name the same block`)
  }
}
