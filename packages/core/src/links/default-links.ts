/**
 * Links between the CID that a file has uncompressed and the one that it has here.
 *
 * A link is two entries in the datastore: the forward one, by the original CID,
 * and the reverse one, by the compressed CID. The forward entry is the link: a
 * reverse entry counts only where the forward one of its original agrees. So what
 * makes, moves or ends a link is the writing of one key, which every datastore does
 * whole or not at all, and a kill at any moment leaves both directions or none:
 *
 * - add: reverse entry, forward entry (now the link is there), then the reverse
 *   entry that the original had before, if any
 * - delete: forward entry (now the link is gone), then the reverse one
 *
 * Not a batch of the datastore: that of datastore-fs is a file a key, written in
 * any order, so a kill could leave a forward entry without its reverse one.
 *
 * What a kill leaves behind is a reverse entry that does not count. Whoever writes
 * the same link again, deletes it, or prunes, removes it. Readers do not: what looks
 * left behind may be the first half of a link that another process is making.
 */
import { raceSignal } from 'race-signal'
import { compareOriginal } from './compare-original.ts'
import { InvalidParametersError, LinkedFileMissingError, LinksUnavailableError, UncheckedLinkError } from '../errors.ts'
import { exclusively } from '../util/one-at-a-time.ts'
import { decodeEntry, decodeForward, deleteForward, FORWARD, isChecked, isSame, keepBelieved, readForward, readReverse, REVERSE, UNCHECKED, writeForward, writeReverse } from './link-entries.ts'
import { queryLinks } from './link-query.ts'
import { isMarked, TREE_CODE, unmark } from '../marker.ts'
import type { LinkRecord } from './link-entries.ts'
import type { AddLinkOptions, Link, LinkDatastore, LinkOptions, Links, LinksComponents, PruneOptions } from './links.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export class DefaultLinks implements Links {
  readonly #blockstore: LinksComponents['blockstore']
  readonly #datastore: LinkDatastore | undefined
  readonly #read: LinksComponents['read']

  constructor ({ blockstore, datastore, read }: LinksComponents) {
    this.#blockstore = blockstore
    this.#datastore = datastore
    this.#read = read
  }

  /** Whether there is a datastore to keep links in. */
  get available (): boolean {
    return this.#datastore != null
  }

  async add (original: CID, compressed: CID, options: AddLinkOptions = {}): Promise<void> {
    this.#need()
    checkSides(original, compressed)
    await this.#needFile(original, compressed, options)

    const check = options.unchecked === true ? UNCHECKED : await this.#compare({ original, compressed }, options)
    await this.#put({ original, compressed, check: check ?? UNCHECKED }, options)
  }

  /** Link an original whose bytes the compressed file is known to have, as that of the bytes that it was made of. */
  async addChecked (link: Required<LinkRecord>, options: LinkOptions): Promise<void> {
    this.#need()
    checkSides(link.original, link.compressed)
    await this.#needFile(link.original, link.compressed, options)
    await this.#put(link, options)
  }

  /** Keep that a link was compared, if it is still there. */
  async keepCheck (link: Required<LinkRecord>, options: LinkOptions): Promise<void> {
    await this.#write(options, async datastore => {
      const now = await readForward(datastore, link.original)

      if (now != null && isSame(now.compressed, link.compressed)) {
        await writeForward(datastore, { ...now, check: link.check })
      }
    })
  }

  async #needFile (original: CID, compressed: CID, options: LinkOptions): Promise<void> {
    if (!await this.#blockstore.has(unmark(compressed), options as Parameters<Blockstore['has']>[1])) {
      throw new LinkedFileMissingError(original, compressed)
    }
  }

  /** Read the whole file, and say which layout gives its bytes the CID of the original. */
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

      await writeReverse(datastore, compressed, [...await keepBelieved(datastore, others, compressed), original])
      // that nobody is to compare them is no news of those that were
      const check = before?.check != null && isChecked(before) && before.compressed.equals(compressed) && !isChecked(link) ? before.check : link.check
      await writeForward(datastore, { original, compressed, check })

      if (before != null && !isSame(before.compressed, compressed)) {
        await forget(datastore, before)
      }
    })
  }

  async get (cid: CID, options: LinkOptions = {}): Promise<CID | undefined> {
    const datastore = this.#need()
    options.signal?.throwIfAborted()

    return await raceSignal(lookUp(datastore, cid), options.signal)
  }

  /** What an original is linked to, and what is known of that. */
  async linkOf (original: CID): Promise<LinkRecord | undefined> {
    return readForward(this.#need(), original)
  }

  async delete (cid: CID, options: LinkOptions = {}): Promise<void> {
    await this.#write(options, async datastore => {
      const link = isMarked(cid) ? undefined : await readForward(datastore, cid)

      if (link != null) {
        await deleteLink(datastore, link)
      }

      const originals = await readReverse(datastore, cid)

      for (const original of await keepBelieved(datastore, originals, cid)) {
        await deleteForward(datastore, original)
      }

      if (originals.length > 0) {
        await writeReverse(datastore, cid, [])
      }
    })
  }

  async * list (options: LinkOptions = {}): AsyncGenerator<Link> {
    for await (const entries of queryLinks(this.#need(), FORWARD, options.signal)) {
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

    // deleted when the query is over: it may or may not see what happens meanwhile
    for await (const link of this.list(options)) {
      if (!await has(unmark(link.compressed))) {
        gone.push(link)
      }
    }

    for (const link of gone) {
      await this.#write(options, async datastore => deleteLink(datastore, link))
    }

    for await (const entries of queryLinks(this.#need(), REVERSE, options.signal)) {
      for (const entry of entries) {
        options.signal?.throwIfAborted()
        const [compressed, ...originals] = decodeEntry(entry, 1)

        if ((await keepBelieved(this.#need(), originals, compressed)).length < originals.length) {
          stale.push(compressed)
        }
      }
    }

    for (const compressed of stale) {
      await this.#write(options, async datastore => {
        await writeReverse(datastore, compressed, await keepBelieved(datastore, await readReverse(datastore, compressed), compressed))
      })
    }

    return gone.length
  }

  #need (): LinkDatastore {
    if (this.#datastore == null) {
      throw new LinksUnavailableError()
    }

    return this.#datastore
  }

  /** One change at a time: each reads what it changes. Not stopped half-way by the signal. */
  async #write ({ signal }: LinkOptions, change: (datastore: LinkDatastore) => Promise<void>): Promise<void> {
    const datastore = this.#need()

    await exclusively(datastore, async () => {
      signal?.throwIfAborted()
      const work = async (): Promise<void> => change(datastore)

      await (datastore.change?.(work) ?? work())
    })
  }
}

async function lookUp (datastore: LinkDatastore, cid: CID): Promise<CID | undefined> {
  const link = isMarked(cid) ? undefined : await readForward(datastore, cid)

  return link?.compressed ?? (await keepBelieved(datastore, await readReverse(datastore, cid), cid)).at(-1)
}

/** Delete a link, unless the original is linked to another file by now. */
async function deleteLink (datastore: LinkDatastore, link: Link): Promise<void> {
  const now = await readForward(datastore, link.original)

  if (now != null && isSame(now.compressed, link.compressed)) {
    await deleteForward(datastore, link.original)
    await forget(datastore, link)
  }
}

/** Take a link that is no longer one out of the reverse entry. */
async function forget (datastore: LinkDatastore, { original, compressed }: Link): Promise<void> {
  const originals = await readReverse(datastore, compressed)

  if (originals.length > 0) {
    await writeReverse(datastore, compressed, originals.filter(cid => !isSame(cid, original)))
  }
}

function checkSides (original: CID, compressed: CID): void {
  if (!isMarked(compressed)) {
    throw new InvalidParametersError(`The compressed side of a link is a marked CID, ${compressed} is not`)
  }

  if (isMarked(original)) {
    throw new InvalidParametersError(`The original side of a link is the CID of uncompressed bytes, ${original} is marked`)
  }

  if (isSame(original, compressed)) {
    throw new InvalidParametersError(`A link joins two files, ${original} and ${compressed} are one`)
  }
}
