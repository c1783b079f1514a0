import { escapeText } from './escape.ts'
import { STYLE } from './style.ts'

/** A square of two bars, the lower one shorter: the original and what is stored of it. */
const ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Crect width='16' height='16' rx='4' fill='%230f766e'/%3E%3Cpath d='M4 6h8M4 10h4' stroke='%23fff' " +
  "stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E"

/** The frame of every page that the gateway makes. It loads nothing, and runs no script. */
export function page (title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}
