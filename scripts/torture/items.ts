import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { noise, text } from '../../test/support/data.ts'
import { mustRun, parseLines } from './command.ts'

/** The modification time of all sources, in seconds. It is fixed because the CIDs of trees depend on it. */
const MTIME = 1_600_000_000

/** A file or a tree, the options it is added with, and the expected results. */
export interface Item {
  name: string
  path: string
  /** The contents by path. The path of a single file is empty. */
  files: ReadonlyMap<string, Uint8Array>
  isTree: boolean
  /** The options of `ipfsz add`. */
  options: readonly string[]
  cid: string
  /** The original CID that `link ls` shows, if it is linked. */
  original?: string
  /** The CAR that `car export` writes. */
  car: Uint8Array
  carPath: string
}

type Draft = Pick<Item, 'name' | 'files' | 'options'>

/** Write the sources, and add them to a repo where nothing is killed, to learn their CIDs, links and CARs. */
export async function makeItems (directory: string): Promise<Item[]> {
  const repo = join(directory, 'reference')
  const items: Item[] = []
  await mkdir(join(directory, 'in'), { recursive: true })

  for (const draft of drafts()) {
    const path = join(directory, 'in', draft.name)
    const isTree = !draft.files.has('')

    for (const [name, bytes] of draft.files) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), bytes)
      await utimes(join(path, name), MTIME, MTIME)
    }

    if (isTree) {
      await utimes(join(path, 'sub'), MTIME, MTIME)
      await utimes(path, MTIME, MTIME)
    }

    const carPath = join(directory, 'in', `${draft.name}.car`)
    const cid = parseLines(await mustRun(directory, repo, ['--json', 'add', ...draft.options, path])).at(-1)?.cid ?? ''
    await mustRun(directory, repo, ['car', 'export', '-o', carPath, cid])
    items.push({ ...draft, path, isTree, cid, carPath, car: await readFile(carPath) })
  }

  const links = parseLines(await mustRun(directory, repo, ['--json', 'link', 'ls']))

  return items.map(item => {
    const original = links.find(({ compressed }) => compressed === item.cid)?.original

    return original == null ? item : { ...item, original }
  })
}

/**
 * Files of 10 kB to 6 MB and trees, with every codec. Some share blocks, and one is the
 * original of another, so a block that `gc` deletes too early belongs to another item.
 */
function drafts (): Draft[] {
  const big = text(6_000_000, 1)
  const twin = text(2_000_000, 2)
  const incompressible = noise(3_000_000, 3)

  return [
    file('small', text(10_000, 10)),
    file('second', text(50_000, 11)),
    file('third', text(150_000, 12)),
    file('big', big),
    file('linked', twin, '--link'),
    file('plain', twin, '--codec', 'none'),
    file('noise', incompressible, '--codec', 'none'),
    file('gzip', text(300_000, 13), '--codec', 'gzip'),
    file('lz4', text(1_500_000, 14), '--codec', 'lz4', '--link'),
    file('snappy', text(700_000, 15), '--codec', 'snappy'),
    file('lzo', text(200_000, 16), '--codec', 'lzo'),
    file('brotli', text(200_000, 17), '--codec', 'brotli'),
    file('auto', text(400_000, 18), '--codec', 'auto', '--frame-size', '64KiB'),
    tree('tree', [...small(40, 20), ['big.txt', big], ['sub/noise', incompressible]]),
    tree('plain-tree', [...small(20, 20), ['noise', incompressible]], '--codec', 'none'),
    tree('linked-tree', small(12, 20), '--link')
  ]
}

function file (name: string, bytes: Uint8Array, ...options: string[]): Draft {
  return { name, files: new Map([['', bytes]]), options }
}

function tree (name: string, files: Array<[string, Uint8Array]>, ...options: string[]): Draft {
  return { name, files: new Map(files), options }
}

function small (count: number, seed: number): Array<[string, Uint8Array]> {
  return Array.from({ length: count }, (_, i) => [`sub/${i}.txt`, text(500 + i * 300, seed + i)])
}

/** The bytes of a single file. */
export function bytesOf ({ files }: Item): Uint8Array {
  return files.get('') ?? new Uint8Array(0)
}
