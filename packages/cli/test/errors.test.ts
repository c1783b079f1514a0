import { CODES, InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'
import {
  CorruptBlockError,
  InvalidFrameSizeError,
  MissingHeaderError,
  NotFoundError,
  NotMarkableError
} from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { exitCode, explain, IncompleteError, RepoError, UsageError } from '../src/errors.ts'

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
    new CorruptBlockError(cid)
  ])('keeps the message of $name, and adds what to do', (err) => {
    const text = explain(err)

    expect(text.startsWith(`${err.message}: `)).toBe(true)
    expect(text.length).toBeGreaterThan(err.message.length + 10)
  })

  it('returns the message alone for an error without advice', () => {
    expect(explain(new UsageError('so it is'))).toBe('so it is')
  })

  it('calls an abort an interruption', () => {
    expect(explain(abort)).toBe('interrupted')
  })

  it.each(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EROFS'])('names the path for %s', (code) => {
    expect(explain(systemError(code))).toMatch(/^\/a\/path: /)
  })

  it.each(['ENOSPC', 'EDQUOT'])('says that the disk is full for %s', (code) => {
    expect(explain(systemError(code))).toContain('disk is full')
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

  it('returns the message of a system error that it does not know', () => {
    expect(explain(systemError('EIO'))).toBe('EIO: said by the system')
  })
})

function systemError (code: string): Error {
  return Object.assign(new Error(`${code}: said by the system`), { code, syscall: 'open', path: '/a/path' })
}
