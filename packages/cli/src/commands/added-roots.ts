import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readableWith } from '@ipfsz/core'
import { addFile, openFile } from '@ipfsz/node/internal/disk/add-file'
import { addTree, addWrapped } from '@ipfsz/node/internal/disk/add-tree'
import { ignoreMatcher } from '@ipfsz/node/internal/disk/ignore'
import { SpillStack } from '@ipfsz/node/internal/disk/spill-stack'
import { temporaryFor } from '@ipfsz/node/internal/disk/temporary-files'
import { resolvePath } from '../io.ts'
import { UsageError } from '../errors.ts'
import { contentUrl } from '@ipfsz/node/internal/gateway/content-url'
import { defaultRepoPath } from '@ipfsz/node/internal/repo/repo'
import { nameOf, STDIN } from './added-names.ts'
import { earlierVersion } from './earlier-version.ts'
import { notingNeeded } from './note-needed.ts'
import { AddPrinter } from '../terminal/add-printer.ts'
import { quote } from '../terminal/quote.ts'
import type { FileSource } from '@ipfsz/node/internal/disk/add-file'
import type { Added, AddedTree, AddTreeOptions } from '@ipfsz/node/internal/disk/add-tree'
import type { Context } from '../context.ts'
import type { PendingRoot } from '../pending-roots.ts'
import type { PrintedAdd, PrintedRoot } from '../terminal/printed-add.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { AddRootOptions } from './add-root-options.ts'
import type { Store } from './add-store.ts'
import type { CID } from 'multiformats/cid'

/** Adds paths of the command line. What it returns is printed once it is pinned. */
export class AddedRoots {
  readonly #options: AddRootOptions
  readonly #store: Store
  readonly #context: Context
  readonly #printer: AddPrinter

  constructor (options: AddRootOptions, store: Store, context: Context) {
    this.#options = options
    this.#store = store
    this.#context = context
    this.#printer = new AddPrinter(options, context.output)
  }

  /** Add a file, or stdin. */
  async addFile (path: string): Promise<PendingRoot> {
    const { io, output, signal } = this.#context
    const { link, preserve } = this.#options
    const isStdin = path === STDIN
    const name = isStdin ? STDIN : basename(path)
    const compression = await this.#compression(name)
    const source: FileSource = isStdin
      ? { content: io.stdin }
      : await openFile(resolvePath(path, io), preserve, signal)
    const progress = output.progress(name, source.size)

    const stats = await notingNeeded(isStdin ? [] : [resolvePath(path, io)], progress, signal, async progress =>
      addFile(source, this.#store.files, { compression, link, progress, signal }))
    const { cid, plainCid, size, storedSize, ratio, codec } = stats
    const hasChanged = await source.hasChanged?.() === true
    const added = {
      hidden: 0,
      executables: source.executable === true ? 1 : 0,
      changed: { count: hasChanged ? 1 : 0, first: name },
      chosen: this.#chosen({ [codec ?? 'none']: 1 }),
      newSize: await this.#newSize(cid),
      readableWith: readableWith(stats)
    }
    const remember = this.#store.latest?.added(name, { cid, size, addedSize: added.newSize ?? 0 })

    return {
      cid,
      ...isStdin ? {} : { name },
      print: async () => {
        await remember?.()
        this.#print({
          cid: cid.toString(),
          plainCid: plainCid.toString(),
          name,
          size,
          storedSize: storedSize ?? 0n,
          ratio: ratio ?? 1,
          codec: codec ?? 'none',
          url: this.#url(cid, isStdin ? '' : name)
        }, this.#next('cat', cid), added)
      }
    }
  }

  /** Add a directory and everything in it. */
  async addDirectory (path: string): Promise<PendingRoot> {
    const { io } = this.#context
    const name = nameOf(path, io)

    return {
      name,
      ...await this.#addTree(
        name,
        [resolvePath(path, io)],
        entry => join(resolvePath(path, io), entry),
        async options => addTree(resolvePath(path, io), this.#store.files, options)
      )
    }
  }

  /**
   * Add files and directories into a new directory, which has no name.
   *
   * @throws {UsageError} a path has no name, or two have the same
   */
  async addWrapped (paths: readonly string[]): Promise<PendingRoot> {
    const { io } = this.#context
    const named = paths.map(path => ({ path: resolvePath(path, io), name: nameOf(path, io) }))
    const names = new Set<string>()

    for (const { name } of named) {
      if (name === STDIN || name === '/') {
        throw new UsageError(`--wrap-with-directory needs names, but ${name === '/' ? '/' : 'stdin'} has none`)
      }

      if (names.has(name)) {
        throw new UsageError(`--wrap-with-directory: two paths have the name ${name}: add them separately`)
      }

      names.add(name)
    }

    const pathOf = (entry: string): string => {
      const [first, ...rest] = entry.split('/')

      return join(named.find(({ name }) => name === first)?.path ?? first, ...rest)
    }

    const inputs = named.map(({ path }) => path)

    return this.#addTree('', inputs, pathOf, async options => addWrapped(named, this.#store.files, options))
  }

  /**
   * @param inputs - the paths of what is in the tree
   * @param pathOf - where an entry of the tree is on this machine
   */
  async #addTree (
    name: string,
    inputs: readonly string[],
    pathOf: (entry: string) => string,
    add: (options: AddTreeOptions) => Promise<AddedTree>
  ): Promise<Pick<PendingRoot, 'cid' | 'print'>> {
    const { output, signal } = this.#context
    const { link, hidden, ignore, gitignore, preserve } = this.#options
    const compression = await this.#compression(name, pathOf)

    // printed only once the directory is pinned: until then gc may delete them. There may be millions
    const unprinted = new SpillStack<PrintedAdd>(temporaryFor(join(tmpdir(), 'ipfsz-add')))

    const progress = output.progress(name === '' ? 'all' : name)
    const added = await notingNeeded(inputs, progress, signal, async progress => add({
      hidden,
      ignore: ignoreMatcher(ignore),
      gitignore,
      preserve,
      progress,
      signal,
      add: { compression, link },
      onAdded: async added => {
        if (this.#printer.printsEntries) {
          await unprinted.push(this.#printed(added, name === '' ? added.path : `${name}/${added.path}`))
        }
      }
    })).catch(async (err: unknown) => {
      await unprinted.close()
      throw err
    })

    const { root, files, compressed, codecs, ...lost } = added
    const newSize = await this.#newSize(root.cid)
    const counts = { ...lost, content: { files, compressed }, chosen: this.#chosen(codecs), newSize }
    const remember = this.#store.latest?.added(name, { ...root, addedSize: newSize ?? 0 })

    return {
      cid: root.cid,
      print: async () => {
        await remember?.()

        for await (const file of unprinted.from(0)) {
          this.#printer.entry(file)
        }

        await unprinted.close()
        this.#print(this.#printed(root, name), this.#next('get', root.cid), counts)
      }
    }
  }

  /**
   * How to compress, with the earlier version if there is one.
   *
   * @param name - of the path that is added
   * @param pathOf - of a directory, where an entry of it is on this machine
   */
  async #compression (name: string, pathOf?: (entry: string) => string): Promise<CompressionOptions> {
    const { compression } = this.#options
    const { files, latest, basesOf } = this.#store
    const cid = await latest?.find(name)
    const earlier = cid == null ? this.#options.earlier : { cid, path: '' }

    if (earlier == null) {
      return compression
    }

    const check = await basesOf?.(earlier.cid) ?? (async () => {})
    const options = { pathOf, renews: latest != null, check }
    const base = await earlierVersion(earlier, options, files, this.#context.signal)

    return { ...compression, base }
  }

  /** Bytes of the new blocks of a root, if there is an earlier version. */
  async #newSize (root: CID): Promise<number | undefined> {
    return this.#store.newBytes?.(root, this.#context.signal)
  }

  #print (
    printed: PrintedAdd,
    next: string | undefined,
    more: Pick<PrintedRoot, 'hidden' | 'executables' | 'changed' | 'content' | 'chosen' | 'newSize' | 'readableWith'>
  ): void {
    this.#printer.root({ ...printed, ...more, next, onlyHash: this.#options.onlyHash })
  }

  #chosen (codecs: Record<string, number>): PrintedRoot['chosen'] {
    return this.#options.compression.codec === 'auto' ? codecs : undefined
  }

  #printed ({ cid, plainCid, path, size, storedSize, ratio, codec, type }: Added, name: string): PrintedAdd {
    const url = this.#url(cid, type === 'directory' ? undefined : basename(path))

    return { cid: cid.toString(), plainCid: plainCid.toString(), name, size, storedSize, ratio, codec, type, url }
  }

  #url (cid: CID, name: string | undefined): string | undefined {
    return this.#store.gateway == null ? undefined : contentUrl(this.#store.gateway, cid, name)
  }

  /** The command that reads a root, unless it is not in the repo. */
  #next (command: 'cat' | 'get', cid: CID): string | undefined {
    if (this.#store.kind !== 'repo') {
      return undefined
    }

    const { io, output, repo } = this.#context

    return output.typed(`ipfsz ${command} `) +
      `${cid}${repo === defaultRepoPath(io) ? '' : ` --repo ${quote(repo, 'DIR')}`}`
  }
}
