/** @module-tag long */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { it } from './run-cli.ts'

const MIB = 1024 * 1024
/** Makes a repo that has a file for each block. */
const FILES = 'ipfsz --repo disk/repo init --layout files >/dev/null'

describe.skipIf(process.platform !== 'linux')('a full disk', () => {
  it.for<[what: string, options: string, command: string, said: RegExp]>([
    [
      'bytes, in the repo',
      'size=2m',
      `${FILES} && ipfsz --repo disk/repo add file`,
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 2\.00 MiB left, .* At most 4\.00 MiB more are .* ipfsz gc/
    ],
    [
      'bytes, in the repo, of a tree',
      'size=200k',
      `${FILES} && ipfsz --repo disk/repo add tree`,
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 200 KiB left, .* At most 293 KiB more are needed\. /
    ],
    [
      'bytes, in packs',
      'size=2m',
      'ipfsz --repo disk/repo add file',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 2\.00 MiB left, .* At most 4\.00 MiB more are .* ipfsz gc/
    ],
    [
      'bytes, in packs, of a tree',
      'size=200k',
      'ipfsz --repo disk/repo add tree',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 200 KiB left, .* At most \d+ KiB more are needed\. .* ipfsz gc/
    ],
    [
      'bytes, in the repo, of a stream of unknown size',
      'size=2m',
      'head -c 20000000 /dev/urandom | ipfsz --repo disk/repo add -',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 2\.00 MiB left, which is not enough\. Free/
    ],
    [
      'bytes, in packs, of a stream that has ended',
      'size=200k',
      'head -c 500000 /dev/urandom | ipfsz --repo disk/repo add -',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 200 KiB left, .* At most 488 KiB more are needed\. /
    ],
    [
      'bytes, in packs, of a stream of unknown size',
      'size=2m',
      'cat large | ipfsz --repo disk/repo add -',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 2\.00 MiB left, which is not enough\. Free/
    ],
    [
      'bytes, in packs, of a file that is written in many parts',
      'size=6m',
      'ipfsz --repo disk/repo add large',
      /the disk is full: \S+\/disk\/repo has \S+ \S+ of 6\.00 MiB left, .* At most 19\.1 MiB more are needed\. /
    ],
    [
      'inodes, in the repo',
      'size=64m,nr_inodes=40',
      `${FILES} && ipfsz --repo disk/repo add tree`,
      /the disk of \S+\/disk\/repo\S* has no inodes left .*, though 6\d\.\d MiB are free: .* ipfsz gc/
    ],
    [
      'bytes, where a file is written',
      'size=2m',
      'ipfsz get $(ipfsz add -Q file) -o disk/out',
      /needs 4\.00 MiB, but the disk has only 2\.00 MiB left: \S+\/disk is 2\.00 MiB short\..* ipfsz gc/
    ],
    [
      'inodes, where a tree is written',
      'size=64m,nr_inodes=40',
      'ipfsz get $(ipfsz add -Q tree) -o disk/out',
      /needs 101 files and directories, but the disk has inodes for only 39, in \S+\/disk\./
    ],
    [
      'bytes, of which nobody knew before',
      'size=2m',
      'ipfsz car export $(ipfsz add -Q file) -o disk/out.car',
      / disk\/out\.car: the disk is full: \S*disk has \S+ \S+ of 2\.00 MiB left, which is not enough\./
    ]
  ])('is told with its place and what is missing: %s', async ([, options, command, said], { sandbox }) => {
    await sandbox.write('file', randomBytes(4 * MIB))
    await (command.includes('large') ? sandbox.write('large', randomBytes(20_000_000)) : undefined)
    await Promise.all(['disk', 'tree'].map(async name => mkdir(join(sandbox.directory, name))))
    await Promise.all(Array.from({ length: 100 }, async (_, i) => sandbox.write(`tree/${i}`, randomBytes(3000))))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'

    const { code, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o ${options} none disk && ${command}'`
    )

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) })
  })

  it.for(['get', 'car export'])('or a file that may not grow is told by the name that %s was given', async (
    command, { sandbox }
  ) => {
    const cid = await sandbox.add(randomBytes(MIB))

    // blocks of 512 bytes; an ignored signal becomes EFBIG
    const { code, stderr } = await sandbox.shell(`trap "" XFSZ; ulimit -f 100; ipfsz ${command} ${cid} -o out`)

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^ipfsz: (?:\S+\/)?out: the file/) })
  })

  it.for(['packs', 'files'])('that others filled to the last byte has space after gc, in a repo of %s', async (
    layout, { sandbox }
  ) => {
    await sandbox.write('file', randomBytes(4 * MIB))
    await sandbox.write('kept', randomBytes(MIB))
    await mkdir(join(sandbox.directory, 'disk'))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
    const ipfsz = 'ipfsz --repo disk/repo'

    const { code, stdout, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o size=8m none disk && ${ipfsz} init --layout ${layout} && ` +
        `${ipfsz} add -Q kept && ${ipfsz} pin rm $(${ipfsz} add -Q file) && ` +
        `! cat /dev/zero > disk/other && ! echo x > disk/one && ${ipfsz} gc && ${ipfsz} verify --all && ` +
        `rm disk/other && ${ipfsz} add -Q file'`
    )

    expect({ code, stderr: stderr.replaceAll(/^(?:cat|sh): .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
    expect(stdout.toString()).toMatch(/Deleted 5 unpinned blocks[^]*\tgood\t[^]*\nbafy\w+\n$/)
  })

  it('has space after gc though something is pinned in each pack, once the record of unchanged files is gone', async ({
    sandbox
  }) => {
    await sandbox.write('file', randomBytes(4 * MIB))
    await sandbox.write('kept', randomBytes(100_000))
    await Promise.all(['disk', 'tree'].map(async name => mkdir(join(sandbox.directory, name))))
    await Promise.all(Array.from({ length: 3000 }, async (_, i) => sandbox.write(`tree/${i}`, Buffer.from(`${i}`))))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
    const ipfsz = 'ipfsz --repo disk/repo'

    const { code, stdout, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o size=16m none disk && ${ipfsz} init && ` +
        `${ipfsz} add -Q tree && ${ipfsz} add -q kept file | tail -n 1 | xargs ${ipfsz} pin rm && ` +
        `! cat /dev/zero > disk/other && ${ipfsz} gc && ${ipfsz} verify --all && df disk && ls disk/repo'`
    )

    expect({ code, stderr: stderr.replaceAll(/^(?:cat|sh): .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
    expect(stdout.toString()).toMatch(/Deleted 5 unpinned blocks/)
    expect(stdout.toString()).not.toContain('known-files')
  })

  it('is told by gc with what rewriting a pack needs, which is then enough', async ({ sandbox }) => {
    await sandbox.write('file', randomBytes(4 * MIB))
    await sandbox.write('kept', randomBytes(MIB))
    await mkdir(join(sandbox.directory, 'disk'))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
    const ipfsz = 'ipfsz --repo disk/repo'

    const { code, stdout, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o size=16m none disk && ${ipfsz} init && ` +
        // without the record of unchanged files: gc would delete that, and a part of the rest
        `${ipfsz} add -q kept file | tail -n 1 | xargs ${ipfsz} pin rm && rm -r disk/repo/known-files && ` +
        '! cat /dev/zero > disk/other && ' +
        // 5.57 MiB of the 10.9 MiB that the other file has
        `! ${ipfsz} gc && truncate -s -5850000 disk/other && ${ipfsz} gc'`
    )

    const said = stderr.replaceAll(/^(?:cat|sh): .*\n/gm, '')
    expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/^ipfsz: the disk is full: .*\n$/) })
    expect(said).toMatch(/disk\/repo has 0 B of 16\.0 MiB left, .* At most 5\.\d+ MiB more are needed\. /)
    expect(said).not.toContain('ipfsz gc')
    expect(stdout.toString()).toMatch(/Deleted 5 unpinned blocks/)
  })

  it.for(['packs', 'files'])('takes more again after gc, in a repo of %s', async (layout, { sandbox }) => {
    await sandbox.write('file', randomBytes(4 * MIB))
    await sandbox.write('large', randomBytes(20_000_000))
    await mkdir(join(sandbox.directory, 'disk'))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
    const ipfsz = 'ipfsz --repo disk/repo'

    const { code, stdout, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o size=6m none disk && ${ipfsz} init --layout ${layout} && ` +
        `! ${ipfsz} add -Q large && ${ipfsz} gc --force && ${ipfsz} add -Q file'`
    )

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^ipfsz: the disk is full: [^\n]*\n$/) })
    expect(stdout.toString()).toMatch(/\nbafy\w+\n$/)
  })
})
