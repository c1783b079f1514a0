import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { licencesOf } from '../../scripts/licences.ts'

/** A directory for each package, with the files that are given. */
async function makePackages (packages: Record<string, Record<string, string>>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-licences-'))
  onTestFinished(async () => rm(directory, { recursive: true }))

  return Promise.all(Object.entries(packages).map(async ([name, { license, ...files }]) => {
    const own = join(directory, name)
    await mkdir(own)
    await writeFile(join(own, 'package.json'), JSON.stringify({ name, version: '1.2.3', license }))
    await Promise.all(Object.entries(files).map(async ([file, text]) => writeFile(join(own, file), text)))

    return own
  }))
}

it('lists packages with the same licence above its text', async () => {
  const packages = await makePackages({
    first: { license: 'MIT', LICENSE: 'May be used.\r\n' },
    second: { license: 'MIT', 'license.md': 'May be used.' }
  })

  expect(licencesOf(packages)).toBe('first 1.2.3: MIT\nsecond 1.2.3: MIT\n\nMay be used.')
})

it('takes the MIT licence where there is a choice, and adds notices', async () => {
  const [own] = await makePackages({
    both: { license: 'Apache-2.0 OR MIT', 'LICENSE-APACHE': 'long', 'LICENSE-MIT': 'short', NOTICE: 'by somebody' }
  })

  expect(licencesOf([own])).toBe('both 1.2.3: Apache-2.0 OR MIT\n\nshort\n\nby somebody')
})

it('names the licence of a package without a licence file', async () => {
  expect(licencesOf(await makePackages({ bare: { license: 'ISC' } }))).toMatch(/^bare 1\.2\.3: ISC\n\nThese packages/)
})

it.each(['GPL-2.0', 'MIT AND GPL-2.0', 'UNLICENSED', ''])('refuses the licence "%s"', async license => {
  const packages = await makePackages({ strict: { license, LICENSE: 'You must.' } })

  expect(() => licencesOf(packages)).toThrow('strict has the licence')
})
