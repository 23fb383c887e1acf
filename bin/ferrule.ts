#!/usr/bin/env node
// Read by whatever Node there is, so it imports nothing before it has looked, and its syntax is that of Node 12.
const needed = 20
const version = process.versions.node
if (parseInt(version, 10) < needed) {
  process.stderr.write(
    `ferrule: this is Node.js ${version}, and ferrule needs Node.js ${needed} or later: see https://nodejs.org\n`,
  )
  process.exitCode = 1
} else {
  import('./main.ts').then(({ main }) => main(process.argv.slice(2)))
}
