/*
 * Every npm script starts here. Plain old JavaScript on purpose: an unsupported Node must be able to
 * read this file, so that it can say in one line what is wrong instead of failing on newer syntax.
 */
"use strict";

var wanted = [20, 19];
var found = process.versions.node.split(".").map(Number);
var tooOld = found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1]);

function stop(line) {
  process.stderr.write(line + "\n");
  process.exitCode = 2;
}

var installed = true;
try {
  require.resolve("tsx/esm/api");
} catch (error) {
  installed = false;
}

if (process.argv[2] === "doctor" && (tooOld || !installed)) {
  require("./doctor-before-install.cjs").tell(tooOld, installed);
} else if (tooOld) {
  stop("This course needs Node 20.19 or newer, and this is Node " + process.versions.node + ". Install a newer one from nodejs.org.");
} else if (!installed) {
  stop("The packages are not installed yet. Run this first, in any folder of the repository: npm install");
} else {
  import("tsx/esm")
    .then(function () {
      return import("./dispatch.ts");
    })
    .then(function (tool) {
      return tool.main(process.argv.slice(2));
    });
}
