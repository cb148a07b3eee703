/*
 * What `npm run doctor` can say without the packages, or on an unsupported Node. Plain old JavaScript, as start.cjs.
 * Prints the lines that doctor.ts prints; the status is 1, because at least one of them is wrong.
 */
"use strict";

var spawnSync = require("child_process").spawnSync;

exports.tell = function (tooOld, installed) {
  var env = process.env;
  var wrong = 0;

  function line(what, found, remedy) {
    if (remedy) wrong++;
    process.stdout.write((remedy ? "WRONG" : "ok   ") + "  " + (what + "          ").slice(0, 10) + found + "\n");
    if (remedy) process.stdout.write("                 -> " + remedy + "\n");
  }

  var npm = /^(\S+?)\/(\S+)/.exec(env.npm_config_user_agent || "");
  var name = ["LC_ALL", "LC_MESSAGES", "LANG"].filter(function (each) {
    return env[each];
  })[0];
  var git = spawnSync("git", ["--version"], { encoding: "utf8" });

  line(
    "Node",
    process.versions.node + " (the course needs 20.19 or newer)",
    tooOld && "install a newer Node from https://nodejs.org"
  );
  line("npm", npm ? (npm[1] === "npm" ? "" : npm[1] + " ") + npm[2] : "not started by npm");
  line("system", process.platform + " " + process.arch);
  line("shell", (process.platform === "win32" ? env.npm_config_script_shell || env.ComSpec : env.SHELL) || "unknown");
  line("language", name ? name + " is " + env[name] : "the system's; the words en and zh choose another");
  line(
    "git",
    git.status === 0 ? git.stdout.trim().replace(/^git version /, "") : "not found",
    git.status !== 0 && "npm run diff, npm run carry and the growth check need it: install it from https://git-scm.com/downloads"
  );
  line(
    "packages",
    installed ? "not looked at" : "not installed yet",
    !installed && "run in any folder of the repository: npm install"
  );
  process.stdout.write("\n" + wrong + (wrong === 1 ? " thing is" : " things are") + " wrong; the lines with -> say what to do.\n");
  process.exitCode = 1;
};
