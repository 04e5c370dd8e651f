// A process that does nothing until its stdin ends: somebody who happens to have a certain pid.
console.log('idle');
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
