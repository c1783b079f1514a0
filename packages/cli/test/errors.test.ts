import { BlockTooLargeError, UnsupportedCodecError } from '@ipfsz/blockstore-compressed'
import { CODES, InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'
import {
  ContentMismatchError,
  CorruptBlockError,
  FetchStalledError,
  FileTooLargeError,
  InvalidDagError,
  InvalidFrameSizeError,
  InvalidLinkError,
  InvalidTrailerError,
  MissingHeaderError,
  NotFoundError,
  NotMarkableError,
  NotUnixFSError,
  UnknownHashError
} from '@ipfsz/core'
import { GatewaysFailedError } from '@ipfsz/core/http'
import { KuboCidMismatchError, KuboUnsupportedCidError } from '@ipfsz/core/kubo'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import {
  DamagedDagError,
  exitCode,
  explain,
  IncompleteError,
  ListenError,
  MissingAddonError,
  NotConnectedError,
  PinRecordError,
  PrivateAddressError,
  RepoError,
  UsageError
} from '../src/errors.ts'
import { explainSystemError } from '../src/advice/system-errors.ts'
import type { SystemError } from '@ipfsz/utils/system-error'

const cid = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
const abort = new DOMException('This operation was aborted', 'AbortError')

describe('exitCode', () => {
  it.each([
    new UsageError('wrong'),
    new UnknownCodecError('lzma', ['zstd']),
    new InvalidLevelError('zstd', 99, 1, 19),
    new InvalidFrameSizeError(1, 65_536, 16_777_216),
    new NotMarkableError(cid)
  ])('is 2 for wrong usage: $name', (err) => {
    expect(exitCode(err)).toBe(2)
  })

  it.each([
    new RepoError('no repo'),
    new IncompleteError('1 of 2'),
    new NotFoundError(cid),
    new MissingHeaderError(cid),
    new CorruptBlockError(cid),
    new Error('anything')
  ])('is 1 for a failure: $name', (err) => {
    expect(exitCode(err)).toBe(1)
  })

  it('is 130 for an abort', () => {
    expect(exitCode(abort)).toBe(130)
  })
})

describe('explain', () => {
  it.each([
    new NotFoundError(cid),
    new MissingHeaderError(CID.createV1(CODES.zstd, cid.multihash)),
    new CorruptBlockError(cid),
    new CorruptBlockError(cid, { sender: 'Kubo' }),
    new FetchStalledError(cid, 60_000, { providers: 2 }),
    new InvalidTrailerError(cid, 'too short'),
    new ContentMismatchError(cid, cid, cid),
    new InvalidDagError(cid, 'is too deep'),
    new NotUnixFSError(cid, 'it has the codec 0x71'),
    new NotMarkableError(cid),
    new InvalidLinkError('/links/a'),
    new NotConnectedError('/ip4/127.0.0.1/tcp/1', 'refused'),
    new KuboCidMismatchError(cid, cid),
    new KuboUnsupportedCidError(cid),
    new DamagedDagError(cid, new NotFoundError(cid)),
    new DamagedDagError(cid, new NotUnixFSError(cid, 'it has the codec 0x71'))
  ])('keeps the message of $name, and adds what to do', (err) => {
    const text = explain(err)

    expect(text.startsWith(`${err.message}: `)).toBe(true)
    expect(text.length).toBeGreaterThan(err.message.length + 10)
  })

  it.each([
    new UnsupportedCodecError(cid, 0x3f5a0e, ['zstd']),
    new UnknownHashError(cid, 'Pass its hasher in `hashers`'),
    new BlockTooLargeError(cid, 2, 1),
    new FileTooLargeError(2, 1),
    new FileTooLargeError(2, 1, 'tree/a.db')
  ])('names no option of the library for $name, whatever quotes it', (err) => {
    for (const text of [explain(err), explain(new DamagedDagError(cid, err))]) {
      expect(text).not.toMatch(/`codecs`|`hashers`|maxBlockSize|frameSize|undefined/)
    }
  })

  it('advises to repair what misses a block, and nothing that another program made wrong', () => {
    expect(explain(new DamagedDagError(cid, new NotFoundError(cid)))).toContain(`ipfsz repair ${cid}`)
    expect(explain(new DamagedDagError(cid, new NotUnixFSError(cid, 'a leaf')))).not.toContain('repair')
  })

  it('names the file that cannot be read, whatever the system says', () => {
    expect(explain(systemError('EIO'))).toBe('/a/path: EIO: said by the system')
    expect(explain(new Error('no', { cause: systemError('EINVAL') }))).toBe('/a/path: EINVAL: said by the system')
    expect(explain(Object.assign(systemError('EIO'), { message: 'cannot open /a/path: EIO' })))
      .toBe('cannot open /a/path: EIO')
  })

  it('does not take wrong bytes of Kubo for damage on the disk', () => {
    expect(explain(new CorruptBlockError(cid))).toContain('damaged on disk')
    expect(explain(new CorruptBlockError(cid, { sender: 'Kubo' }))).toMatch(/from Kubo is corrupt: (?!.*on disk)/)
  })

  it('explains the system error that a message quotes', () => {
    const full = systemError('ENOSPC')
    const denied = systemError('EACCES')

    expect(explain(new RepoError(`Cannot open the repo /a: ${full.message}`, { cause: full })))
      .toBe('Cannot open the repo /a: the disk is full: free some space and try again')
    expect(explain(new RepoError(`Cannot open the repo /a/path: ${denied.message}`, { cause: denied })))
      .toBe('Cannot open the repo /a/path: permission denied')
    expect(explain(new PinRecordError('/a/pin', cid, denied))).toContain('(/a/path: permission denied)')
  })

  it('keeps the advice of a RepoError that quotes no system error', () => {
    expect(explain(new RepoError('no repo: add a file', { cause: systemError('ENOENT') }))).toBe('no repo: add a file')
  })

  it('keeps the advice of a ListenError, whatever the system says', () => {
    expect(explain(new ListenError('127.0.0.1:80', systemError('EACCES'))))
      .toBe('Cannot listen on 127.0.0.1:80: permission denied. Choose a port above 1023')
  })

  it('returns the message alone for an error without advice', () => {
    expect(explain(new UsageError('so it is'))).toBe('so it is')
  })

  it('calls an abort an interruption', () => {
    expect(explain(abort)).toBe('interrupted')
  })

  it.each([
    ['EPERM', 'rename', 'another program has it open'], ['EPERM', 'symlink', 'developer mode'],
    ['EPERM', 'unlink', '/a/path: permission denied'], ['EBUSY', 'unlink', 'is in use']
  ])('says what Windows may mean by %s of %s', (code, syscall, said) => {
    const err = Object.assign(systemError(code) as SystemError, { syscall })

    expect(explainSystemError(err, 'win32')).toContain(said)
    expect(explainSystemError(err, 'linux')).not.toMatch(/developer|another program/)
  })

  it.each(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EROFS'])('names the path for %s', (code) => {
    expect(explain(systemError(code))).toMatch(/^\/a\/path: /)
  })

  it.each(['ENOSPC', 'EDQUOT'])('says that the disk is full for %s', (code) => {
    expect(explain(systemError(code))).toContain('disk is full')
  })

  it.each([
    ['a name', '/a/' + 'n'.repeat(256), 'the name is too long'],
    ['a path of short names', '/n'.repeat(3000), 'the path is too long']
  ])('says of %s for ENAMETOOLONG what is too long', (_, path, said) => {
    expect(explain(Object.assign(systemError('ENAMETOOLONG'), { path }))).toContain(`: ${said}`)
  })

  it('says what bounds the size of a file for EFBIG', () => {
    expect(explain(systemError('EFBIG'))).toMatch(/^\/a\/path: the file would exceed the maximum size/)
  })

  it('says that there are too many open files for EMFILE', () => {
    expect(explain(systemError('EMFILE'))).toContain('too many open files')
  })

  it('finds a system error however deep it is wrapped', () => {
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: systemError('ENOSPC') }) })

    expect(explain(wrapped)).toContain('disk is full')
  })

  it('ignores the code of an error without a system call', () => {
    expect(explain(Object.assign(new Error('as it says'), { code: 'ENOENT' }))).toBe('as it says')
  })

  it('names an addon that is missing, and not the modules that require it', () => {
    const cause = new Error("Cannot find module 'classic-level'\nRequire stack:\n- /a/path")
    const error = new MissingAddonError('classic-level', { cause })

    expect(error).toMatchObject({ name: 'MissingAddonError', addon: 'classic-level', cause })
    expect(explain(error)).toMatch(/^The addon classic-level failed to load: Cannot find module 'classic-level'\. /)
  })
})

function systemError (code: string): Error {
  return Object.assign(new Error(`${code}: said by the system`), { code, syscall: 'open', path: '/a/path' })
}

it('says which option allows a gateway whose address is not public, whatever the error is the cause of', () => {
  const refused = new Error('fetch failed', { cause: new PrivateAddressError('gateway.example', '10.0.0.1') })
  const failed = new GatewaysFailedError(CID.parse('bafkqaaa'), [new Error('it is away'), refused])

  expect(explain(failed)).toContain('--allow-local')
  expect(explain(new GatewaysFailedError(CID.parse('bafkqaaa'), []))).not.toContain('--allow-local')
})
