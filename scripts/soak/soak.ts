import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Content } from './content.ts'
import { SoakNode } from './node.ts'
import type { ContentInit } from './content.ts'
import type { Engine } from './engine.ts'
import type { Ran } from './node.ts'

export interface SoakOptions extends ContentInit {
  /** Files that one command adds. At least three commands are needed: one before, one during and one after the kill. */
  batch: number
  /** Called with what happens. */
  onLine?: (line: string) => void
}

/** What the commands of one kind did together. */
export interface CommandTotals {
  runs: number
  seconds: number
  /** The most memory of one process, in bytes. */
  memory: number
  requests: Record<string, number>
}

export interface SoakResult {
  files: number
  /** Of all files, in bytes. */
  size: number
  /** How long it took to add them, with all nodes at the same time. */
  seconds: number
  /** Why commands failed that were run again. */
  failures: string[]
  /** By what was run: `add`, `verify`. */
  commands: Map<string, CommandTotals>
  /** What `verify --all` found whole. One entry for each node. */
  verified: Verified[]
}

/** What a node has read, and found to be what its CIDs say. */
export interface Verified {
  node: string
  trees: number
  files: number
  /** In bytes. */
  size: number
  seconds: number
}

/** A tree that a node has added. */
interface Added {
  cid: string
  from: number
  node: SoakNode
}

/** How often a tree is added before that counts as a failure. */
const ATTEMPTS = 3
const MIB = 1024 * 1024

/**
 * Add many files through the nodes of a store, each as fast as it can. Once a third of them is stored, one process of
 * the store is killed, and started again after two thirds. Then every node reads all that was added, and compares it
 * with its CIDs; and of each node one tree is read by another one, and compared with what was written.
 *
 * @param directory - an empty directory, for repos, and for the files of a few commands at a time
 * @throws {Error} something that was acknowledged is missing or damaged
 */
export async function soak (directory: string, engine: Engine, options: SoakOptions): Promise<SoakResult> {
  const run = new Soak(directory, engine, options)

  await run.add()
  await engine.works()
  await run.verify()
  await run.compare()

  return run.result
}

class Soak {
  readonly result: SoakResult = { files: 0, size: 0, seconds: 0, failures: [], commands: new Map(), verified: [] }
  readonly #directory: string
  readonly #engine: Engine
  readonly #options: SoakOptions
  readonly #content: Content
  readonly #nodes: SoakNode[]
  readonly #added: Added[] = []
  readonly #batches: number
  #next = 0

  constructor (directory: string, engine: Engine, options: SoakOptions) {
    this.#directory = directory
    this.#engine = engine
    this.#options = options
    this.#content = new Content(options)
    this.#nodes = engine.stores.map((_, i) => new SoakNode(`node-${i}`, directory, engine.env))
    this.#batches = Math.ceil(options.files / options.batch)
  }

  /** Add everything, and kill a process of the store meanwhile. */
  async add (): Promise<void> {
    for (const [i, store] of this.#engine.stores.entries()) {
      await this.#must(this.#nodes[i], 'init', '--store', store)
    }

    const since = performance.now()
    await Promise.all(this.#nodes.map(async node => {
      try {
        await this.#addBatches(node, since)
      } catch (err) {
        // the others have nothing left to do
        this.#next = this.#batches
        throw err
      }
    }))
    this.result.seconds = (performance.now() - since) / 1000
  }

  /** Every node reads everything, and all nodes at the same time. */
  async verify (): Promise<void> {
    await Promise.all(this.#nodes.map(async node => {
      const { stdout, seconds } = await this.#must(node, '--json', 'verify', '--all')
      const pins = stdout.toString().trim().split('\n').map(line => JSON.parse(line) as VerifiedLine)
      const good = pins.filter(({ ok }) => ok)
      const found = {
        pins: new Set(good.map(({ cid }) => cid)).symmetricDifference(new Set(this.#added.map(({ cid }) => cid))).size,
        files: good.reduce((total, { files }) => total + files, 0),
        size: good.reduce((total, { size }) => total + size, 0)
      }

      if (found.pins > 0 || found.files !== this.result.files || found.size !== this.result.size) {
        throw new Error(`${node.name} has ${found.files} of ${this.result.files} files with ${found.size} of ${
          this.result.size} bytes, and ${found.pins} pins differ`)
      }

      this.result.verified.push({
        node: node.name, trees: good.length, files: found.files, size: found.size, seconds
      })
      this.#say(`${node.name} verified ${good.length} trees with ${found.files} files in ${seconds.toFixed(0)} s`)
    }))
  }

  /** Another node reads a tree of each node. */
  async compare (): Promise<void> {
    for (const [i, node] of this.#nodes.entries()) {
      const tree = this.#added.findLast(added => added.node === node)
      const out = join(this.#directory, `read-${i}`)

      if (tree == null) {
        continue
      }

      await this.#must(this.#nodes.at(i - 1) as SoakNode, 'get', tree.cid, '-o', out)
      await this.#expectSame(out, tree.from)
      await rm(out, { recursive: true })
    }
  }

  async #addBatches (node: SoakNode, since: number): Promise<void> {
    const { batch, files } = this.#options

    while (this.#next < this.#batches) {
      const number = this.#next++
      const tree = join(this.#directory, `tree-${number}`)
      await mkdir(tree)
      const written = await this.#content.write(tree, number * batch, (number + 1) * batch)
      const cid = await this.#addTree(node, tree)
      await rm(tree, { recursive: true })

      this.#added.push({ cid, from: number * batch, node })
      this.result.files += written.files
      this.result.size += written.size
      const mib = this.result.size / MIB
      const rate = mib / (performance.now() - since) * 1000
      this.#say(`${node.name}: ${this.result.files} of ${files} files, ${mib.toFixed(0)} MiB, ${rate.toFixed(1)} MiB/s`)
      await this.#disturb()
    }
  }

  async #disturb (): Promise<void> {
    if (this.#added.length === Math.floor(this.#batches / 3)) {
      await this.#engine.kill()
      this.#say('killed a process of the store')
    } else if (this.#added.length === Math.floor(this.#batches / 3 * 2)) {
      await this.#engine.restore()
      this.#say('started it again')
    }
  }

  async #addTree (node: SoakNode, tree: string): Promise<string> {
    for (let attempt = 1;; attempt++) {
      const { code, stdout, stderr } = await this.#run(node, 'add', '-rQ', tree)

      if (code === 0) {
        return stdout.toString().trim()
      }

      const failure = `${node.name}, attempt ${attempt}: ${stderr.trim()}`
      this.result.failures.push(failure)
      this.#say(failure)

      if (attempt === ATTEMPTS) {
        throw new Error(failure)
      }
    }
  }

  async #expectSame (directory: string, from: number): Promise<void> {
    const names = await readdir(directory, { recursive: true, withFileTypes: true })
    let left = names.filter(entry => entry.isFile()).length

    for (const { name, bytes } of this.#content.files(from, from + this.#options.batch)) {
      left--

      if (Buffer.compare(await readFile(join(directory, name)), bytes) !== 0) {
        throw new Error(`${name} was read with other bytes than it was added with`)
      }
    }

    if (left !== 0) {
      throw new Error(`The tree from file ${from} on was read with ${left} more files than it was added with`)
    }
  }

  async #must (node: SoakNode, ...args: string[]): Promise<Ran> {
    const ran = await this.#run(node, ...args)

    if (ran.code !== 0) {
      throw new Error(`${node.name}: ipfsz ${args.join(' ')} ended with ${ran.code}: ${ran.stderr.trim()}`)
    }

    return ran
  }

  async #run (node: SoakNode, ...args: string[]): Promise<Ran> {
    const ran = await node.run(...args)
    const verb = args.find(arg => !arg.startsWith('-')) ?? ''
    const totals = this.result.commands.get(verb) ?? { runs: 0, seconds: 0, memory: 0, requests: {} }
    this.result.commands.set(verb, totals)
    totals.runs++
    totals.seconds += ran.seconds
    totals.memory = Math.max(totals.memory, ran.memory)

    for (const [what, count] of Object.entries(ran.requests)) {
      totals.requests[what] = (totals.requests[what] ?? 0) + count
    }

    return ran
  }

  #say (line: string): void {
    this.#options.onLine?.(line)
  }
}

/** What `verify --all --json` prints for a pin. */
interface VerifiedLine {
  cid: string
  ok: boolean
  files: number
  size: number
}
