import { defineConfig } from 'oxlint'
import { PACKAGES, ROOMS } from './rooms.ts'
import type { OxlintOverride } from 'oxlint'

/** Imports that a place must not have, and what to say of them. */
interface Restriction {
  regex: string
  message: string
}

/** Other packages of this repository, but for those that the map allows. */
function otherPackages (name: string): Restriction[] {
  const allowed = PACKAGES[name]
  const others = Object.keys(PACKAGES).filter(other => !allowed.includes(other))

  return [
    {
      regex: `^(@ipfsz/(${others.join('|')})|ipfsz)(/|$)`,
      message: `packages/${name} imports only: ${allowed.join(', ') || 'no other package'} (rooms.ts)`
    },
    {
      regex: '^(\\.\\./)+([^./]+/)?src/|^(\\.\\./){3,}(packages|test|bench|scripts|examples)/',
      message: 'Import other packages by their names (rooms.ts)'
    }
  ]
}

/** Other rooms, but for those that the map allows. `up` leads from the file to the package's src. */
function otherRooms (room: string, allowed: readonly string[], up: string): Restriction {
  const open = [room, ...allowed].join('|')

  return {
    regex: `^${up.replaceAll('.', '\\.')}(?!\\.\\./)(?!(${open})/)[^/]+/`,
    message: `${room}/ imports only: ${allowed.join(', ') || 'no other room'} (rooms.ts)`
  }
}

function restrict (files: string[], restrictions: Restriction[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns: restrictions }] } }
}

/** The map of rooms.ts as rules. Of two overrides for one file the later counts, so each has all that holds there. */
const ARROWS = Object.keys(PACKAGES).flatMap(name => {
  const src = `packages/${name}/src`
  const packages = otherPackages(name)

  return [
    restrict([`${src}/**`], packages),
    ...Object.entries(ROOMS[name] ?? {}).flatMap(([room, allowed]) => [
      restrict([`${src}/${room}/*.ts`], [...packages, otherRooms(room, allowed, '../')]),
      restrict([`${src}/${room}/*/*.ts`], [...packages, otherRooms(room, allowed, '../../')])
    ])
  ]
})

export default defineConfig({
  jsPlugins: ['@stylistic/eslint-plugin'],
  plugins: ['typescript', 'import', 'promise', 'unicorn', 'node'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'eslint/eqeqeq': ['error', 'always', { null: 'ignore' }],
    'eslint/no-await-in-loop': 'off',
    'eslint/no-shadow': 'off',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-named-as-default-member': 'off',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/explicit-module-boundary-types': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'unicorn/require-post-message-target-origin': 'off',
    '@stylistic/arrow-parens': 'off',
    '@stylistic/comma-dangle': ['error', 'never'],
    '@stylistic/eol-last': 'error',
    '@stylistic/indent': ['error', 2, { SwitchCase: 1, ignoredNodes: ['ConditionalExpression'] }],
    '@stylistic/keyword-spacing': 'error',
    '@stylistic/max-len': ['error', {
      code: 120,
      ignoreUrls: true
    }],
    '@stylistic/member-delimiter-style': ['error', {
      multiline: { delimiter: 'none' },
      singleline: { delimiter: 'comma' }
    }],
    '@stylistic/no-multiple-empty-lines': ['error', { max: 1, maxEOF: 0 }],
    '@stylistic/no-trailing-spaces': 'error',
    '@stylistic/object-curly-spacing': ['error', 'always'],
    '@stylistic/quotes': ['error', 'single', { avoidEscape: true }],
    '@stylistic/semi': ['error', 'never'],
    '@stylistic/space-before-blocks': 'error',
    '@stylistic/space-before-function-paren': ['error', { anonymous: 'always', named: 'always', asyncArrow: 'always' }],
    '@stylistic/space-infix-ops': 'error'
  },
  overrides: [
    { files: ['packages/codecs/src/impl/*-wasm.ts'], rules: { 'eslint/no-underscore-dangle': 'off' } },
    { files: ['*.config.ts', '**/*.d.ts'], rules: { 'import/no-default-export': 'off' } },
    ...ARROWS
  ],
  ignorePatterns: ['**/dist', '**/generated', '**/node_modules']
})
