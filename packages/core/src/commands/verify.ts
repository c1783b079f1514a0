import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { VerifiedBases } from '../base/verified-bases.ts'
import { MAX_OPEN_LINKS_SIZE, MAX_REMEMBERED_DIRECTORIES, MAX_TREE_DEPTH } from '../constants.ts'
import { getBlock } from '../dag/block.ts'
import { cidKey } from '../dag/cid-key.ts'
import { isIdentity } from '../dag/hashes.ts'
import { decodeNode } from '../dag/node.ts'
import { prefixLength } from '../directory/shard-place.ts'
import { isSharded } from '../directory/shards.ts'
import { findHeader } from '../read/find-header.ts'
import { InvalidDagError, NotUnixFSError, notUnixFS, VerifyFailedError } from '../errors.ts'
import { emit } from '../events.ts'
import { openLinked } from '../read/linked-entry.ts'
import { isMarked } from '../marker.ts'
import { SeenSet } from '../dag/seen-blocks.ts'
import { isByLink } from '../read/read-linked.ts'
import { verifyFile } from '../read/verify-file.ts'
import { originalCheck, settleLink } from './verify-link.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Entry } from '../read/entry.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { VerifyOptions, VerifyReport } from '../verification.ts'
import type { Settings } from '../settings.ts'
import type { VerifyFileOptions } from '../read/verify-file.ts'
import type { PBLink } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'

/** A position in the walk of `verify`. */
interface Place {
  parent?: Place
  /** Empty for the verified root, and for a shard, which is a part of its parent. */
  name: string
  depth: number
  /** Bytes of the blocks and names above. All of them are in memory. */
  open: number
}

/** What has been verified so far. */
interface Tally {
  size: bigint
  frames: number
  files: number
}

type VerifierOptions = VerifyOptions & Pick<VerifyFileOptions, 'onBytes'>

export async function verify (cid: CID, settings: Settings, options: VerifyOptions = {}): Promise<VerifyReport> {
  // without the cache of roots: what is stored must be checked
  const entry = await openLinked(cid, settings, options)

  const check = isByLink(entry) ? originalCheck(entry, options) : undefined
  const onBytes = check == null ? undefined : async (bytes: Uint8Array): Promise<void> => check.update(bytes)
  const verifier = new Verifier(settings, { ...options, onBytes }, isMarked(entry.asked))
  const contentCid = await verifier.verify(entry, { name: '', depth: 0, open: 0 })

  if (check != null && isByLink(entry)) {
    await settleLink(entry.link, await check.compare(), settings, options)
  }

  const { size, frames, files } = verifier.tally

  return {
    cid: entry.cid,
    size,
    blocks: BigInt(verifier.blocks),
    frames,
    files,
    ...contentCid == null ? {} : { contentCid }
  }
}

class Verifier {
  readonly tally: Tally = { size: 0n, frames: 0, files: 0 }
  /** How many different blocks were read. */
  blocks = 0
  readonly #seen: SeenBlocks
  readonly #settings: Settings
  readonly #options: VerifierOptions
  /** Whether files are read decompressed, as below a marked CID. */
  readonly #marked: boolean
  readonly #blockstore: GetStore
  /** Totals of the directories already walked. Without it, a hostile tree of repeated links could be endless. */
  readonly #walked = new Map<string, Tally>()
  readonly #bases: VerifiedBases

  constructor (settings: Settings, options: VerifierOptions, marked: boolean) {
    this.#settings = settings
    this.#options = options
    this.#marked = marked
    this.#seen = options.seen ?? new SeenSet()
    const { blockstore } = settings
    this.#blockstore = {
      checksBlocks: blockstore.checksBlocks,
      isUnshared: bytes => blockstore.isUnshared?.(bytes) === true,
      get: (cid, options) => {
        this.#count(cid)

        return blockstore.get(cid, options)
      }
    }

    const { codecs, inFlightBytes } = settings
    this.#bases = new VerifiedBases({ blockstore: this.#blockstore, codecs, inFlightBytes }, options.bases)
  }

  async verify (entry: Entry, place: Place): Promise<CID | undefined> {
    const { cid, node } = entry
    this.#count(cid)

    if (node?.unixfs.isDirectory() === true) {
      await this.#directory(node, place)
      return undefined
    }

    const { codecs, inFlightBytes } = this.#settings
    const base = await this.#bases.baseOf(entry, this.#options)
    const options = { ...this.#options, inFlightBytes, base }
    const { size, frames, contentCid } = await verifyFile(entry, this.#blockstore, codecs, options)

    this.tally.size += size
    this.tally.frames += frames
    this.tally.files++
    emit(this.#options, 'ipfsz:verify:file', { cid, path: pathOf(place), size })

    return contentCid
  }

  #count (cid: CID): void {
    // an identity CID contains its block, which is in no store
    if (!isIdentity(cid) && !this.#seen.has(cid)) {
      this.#seen.add(cid)
      this.blocks++
    }
  }

  async #directory (node: FileNode, place: Place): Promise<void> {
    if (place.depth >= MAX_TREE_DEPTH) {
      throw new InvalidDagError(node.cid, `is more than ${MAX_TREE_DEPTH} levels below the root`)
    }

    if (place.open + node.length > MAX_OPEN_LINKS_SIZE) {
      throw new InvalidDagError(node.cid, `has more than ${MAX_OPEN_LINKS_SIZE} bytes of directories above it`)
    }

    const key = cidKey(node.cid)
    const walked = this.#walked.get(key)

    if (walked != null) {
      this.#add(walked)

      if (Math.max(this.tally.files, this.tally.frames) > Number.MAX_SAFE_INTEGER) {
        throw new InvalidDagError(node.cid, 'has too many files or frames below it to count')
      }

      return
    }

    const before = { ...this.tally }
    const prefix = isSharded(node) ? prefixLength(node) : 0

    for (const link of node.links) {
      await this.#link(node, link, prefix, place)
    }

    this.#walked.set(key, difference(this.tally, before))

    forgetOldest(this.#walked, MAX_REMEMBERED_DIRECTORIES)
  }

  /** @param prefix - the length of the prefix of names in a shard, 0 in an ordinary directory */
  async #link (
    node: FileNode,
    { Hash: cid, Name: label = '' }: PBLink,
    prefix: number,
    parent: Place
  ): Promise<void> {
    // a link to a shard has only the prefix as its name, and is a part of this directory
    const isShard = prefix > 0 && label.length === prefix
    const name = isShard ? '' : label.slice(prefix)
    const place = { parent, name, depth: parent.depth + 1, open: parent.open + node.length + 2 * name.length }

    try {
      const entry = await this.#open(cid)

      if (isShard && (entry.node == null || !isSharded(entry.node))) {
        throw new NotUnixFSError(cid, 'it is linked as a shard, but is not one')
      }

      await this.verify(entry, place)
    } catch (err) {
      if (err instanceof VerifyFailedError || this.#options.signal?.aborted === true) {
        throw err
      }

      throw new VerifyFailedError(cid, pathOf(place), err)
    }
  }

  async #open (cid: CID): Promise<Entry> {
    if (cid.code !== raw.code && cid.code !== dagPb.code) {
      throw notUnixFS(cid)
    }

    const block = await getBlock(cid, this.#blockstore, this.#options)

    if (cid.code === raw.code) {
      return { cid, block }
    }

    const node = decodeNode(cid, block)
    const header = this.#marked && !node.unixfs.isDirectory() ? findHeader(node) : undefined

    return { cid, block, node, ...header == null ? {} : { header } }
  }

  #add ({ size, frames, files }: Tally): void {
    this.tally.size += size
    this.tally.frames += frames
    this.tally.files += files
  }
}

function difference (after: Tally, before: Tally): Tally {
  return {
    size: after.size - before.size,
    frames: after.frames - before.frames,
    files: after.files - before.files
  }
}

/** A path relative to the verified directory. Joined only when it is needed: names may be long, and levels many. */
function pathOf (place: Place): string {
  const names: string[] = []

  for (let at: Place | undefined = place; at != null; at = at.parent) {
    if (at.name !== '') {
      names.push(at.name)
    }
  }

  return names.toReversed().join('/')
}
