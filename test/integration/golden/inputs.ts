import { chmod, lutimes, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noise, text } from '../../support/data.ts'
import { makeTree } from '../tree-files.ts'

/** When all files were modified: snapshots keep times before 2020. */
const MTIME = new Date('2001-02-03T04:05:06.789Z')
/** Entries of a directory whose names are too long for one block. */
const WIDE = 1150

/** Write the files that the commands of a snapshot get, and nothing that differs from one run to the next. */
export async function writeInputs (directory: string): Promise<void> {
  await makeTree(directory, {
    'hello.txt': 'hello\n',
    'empty.txt': '',
    'notes.txt': text(5000),
    'noise.bin': noise(3000),
    'big.txt': text(150_000),
    'frames.txt': text(1_200_000),
    'sound.raw': sound(60_000),
    'v1.txt': text(400_000, 5),
    'v2.txt': edited(text(400_000, 5)),
    'not-a.car': 'not a CAR',
    store: null,
    'tree/a.txt': text(3000, 2),
    'tree/b/c.txt': text(4000, 3),
    'tree/b/same.txt': text(3000, 2),
    'tree/empty': null,
    'tree/link': { link: 'a.txt' },
    'tree/run.sh': '#!/bin/sh\necho hello\n',
    'tree/skip.log': 'left out by .gitignore\n',
    'tree/.gitignore': '*.log\n',
    'tree/.hidden': 'only with --hidden\n',
    'site/index.html': '<!doctype html><title>Golden</title><link rel=stylesheet href=style.css><h1>Hello</h1>',
    'site/style.css': 'h1 { color: gold }\n'.repeat(200),
    'site/robots.txt': 'User-agent: *\n',
    ...Object.fromEntries(similar().map((bytes, i) => [`similar/${i}.json`, bytes]))
  })
  await chmod(join(directory, 'tree/run.sh'), 0o755)
  await setTimes(join(directory, 'tree'))
}

/** Write a directory that is stored in shards. */
export async function writeWide (directory: string): Promise<void> {
  const wide = join(directory, 'wide')
  await mkdir(wide)
  await Promise.all(Array.from({ length: WIDE }, async (_, i) =>
    writeFile(join(wide, `${'name'.repeat(50)}-${i}`), String(i % 10))))
}

/** Modes and times of all entries, whatever the umask of the user is. */
async function setTimes (path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true })

  for (const entry of entries) {
    const file = join(path, entry.name)

    if (entry.isDirectory()) {
      await setTimes(file)
    } else if (entry.isSymbolicLink()) {
      await lutimes(file, MTIME, MTIME)
    } else {
      await chmod(file, entry.name.endsWith('.sh') ? 0o755 : 0o644)
      await utimes(file, MTIME, MTIME)
    }
  }

  await chmod(path, 0o755)
  await utimes(path, MTIME, MTIME)
}

/** A wave of 16 bits, to which filters apply. */
function sound (samples: number): Uint8Array {
  return new Uint8Array(
    Int16Array.from({ length: samples }, (_, i) => Math.abs(i * 37 % 20_000 - 10_000) + i * i % 61).buffer
  )
}

/** The next version of a text: some bytes are replaced, and some are inserted. */
function edited (bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, 100_000), text(500, 9), bytes.subarray(100_200)])
}

/** Small files that share most of their bytes, for a dictionary. */
function similar (): Uint8Array[] {
  const shared = Buffer.from(noise(2000)).toString('hex')

  return Array.from({ length: 8 }, (_, i) =>
    Buffer.concat([Buffer.from(shared.slice(0, 3000)), text(300, i + 1), Buffer.from(shared.slice(3000))]))
}
