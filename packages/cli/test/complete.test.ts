import { describe, expect, it } from 'vitest'
import { complete } from '../src/program/complete.ts'
import { newProgram } from './programs.ts'

const program = newProgram()

/** The words that may come after a line. What follows its last space is being typed. */
function words (line: string): string[] {
  const { expected, current } = complete(program, line.split(' '))

  return expected.kind === 'words'
    ? expected.words.map(({ word }) => word).filter(word => word.startsWith(current))
    : [expected.kind]
}

describe('completion', () => {
  it.for<[string, string[]]>([
    ['pi', ['pin']],
    ['pin ', ['add', 'rm', 'ls']],
    ['--json pi', ['pin']],
    ['--repo pin pi', ['pin']],
    ['help pi', ['pin']],
    ['help pin l', ['ls']],
    ['add --codec z', ['zstd']],
    ['add --codec=z', ['--codec=zstd']],
    ['add --qu', ['--quiet', '--quieter']],
    ['add a --repo b --verb', ['--verbose']],
    ['gateway --compress b', ['blocks']],
    ['add ', ['file']],
    ['add a ', ['file']],
    ['add -- --co', ['file']],
    ['add --repo ', ['file']],
    ['get -o ', ['file']],
    ['get b', ['cid']],
    ['get CID ', []],
    ['pin rm CID ', ['cid']],
    ['link add CID ', ['cid']],
    ['link add CID CID ', []],
    ['gc ', []],
    ['name publish --key k ', ['cid']],
    ['completion f', ['fish']],
    ['unknown ', []],
    ['complet', ['completion']]
  ])('after "%s"', ([line, expected]) => {
    expect(words(line)).toEqual(expected)
  })

  it('offers the options of ipfsz itself to each command, but --version only to itself', () => {
    expect(words('--')).toEqual(['--version', '--repo', '--json', '--human', '--no-config', '--verbose', '--help'])
    expect(words('link ls --')).toEqual(['--repo', '--json', '--human', '--no-config', '--verbose', '--help'])
  })

  it.for(['--repo dir cat b', 'cat --repo dir b', 'cat --repo=dir b'])(
    'knows the repo of "%s"',
    line => {
      expect(complete(program, line.split(' ')).repo).toBe('dir')
    }
  )
})
