import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NamedError } from '../src/named-error.ts'

const PACKAGES = join(import.meta.dirname, '../..')

/** A class: its name, what it extends, its static name, and whether it has a name besides. */
const CLASS =
  /class (\w+) extends (\w+)[^{]*\{\}?\n(?: *static override readonly name(?:: string)? = '(\w+)'\n)?( *override)?/g

it('an error has the static name of its class, also below another class', () => {
  class FirstError extends NamedError {
    static override readonly name: string = 'First'
  }
  class SecondError extends FirstError {
    static override readonly name = 'Second'
  }

  expect(new FirstError('a').name).toBe('First')
  expect(new SecondError('b', { cause: 1 })).toMatchObject({ name: 'Second', message: 'b', cause: 1 })
})

it('every class of ours with a static name has its own, and gives it to its errors', () => {
  const classes = new Map<string, { base: string, name: string | undefined, sets: boolean }>()

  for (const file of globSync('*/src/**/*.ts', { cwd: PACKAGES, exclude: ['**/generated/**'] })) {
    const [room] = file.split('/')
    const text = readFileSync(join(PACKAGES, file), 'utf8')
    for (const [, own, base, name, sets] of text.matchAll(CLASS)) {
      const above = base === 'NamedError' ? base : `${room}/${base}`
      classes.set(`${room}/${own}`, { base: above, name, sets: sets != null })
    }
  }

  const isNamed = (key: string): boolean => {
    const found = classes.get(key)

    return key === 'NamedError' || (found != null && (found.sets || isNamed(found.base)))
  }
  const named = [...classes].filter(([, { name }]) => name != null)

  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(([key, { name }]) => !key.endsWith(`/${name}`) || !isNamed(key)).map(([key]) => key)).toEqual([])
})
