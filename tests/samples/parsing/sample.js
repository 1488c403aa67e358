#!/usr/bin/env node
import fs, { join } from 'node:fs';
const http = require('http');
const MAX = 3, names = ['a'];
const port = process.env.PORT || 3000;
const host = process.env['HOST'] ?? 'localhost';
counter += 1;

/** Sends it. */
app.use = function use(fn, { depth = 2, size: n = 5, ...rest } = {}, ...more) {
  if (fn === null && depth >= MAX) {
    throw new TypeError('no function');
  } else if (!fn.name) {
    return next();
  } else {
    log(`x`);
  }
  return list.map(each => each.id);
};

// Two lines
// of comment.
export class Agent extends Base {
  #depth = 1;
  static limit = 2;
  async open(url, options = null) {
    this.url = url;
    while (this.depth < 5) {
      await this.dig({ timeout: 30, 'keep-alive': true, retry() {} });
    }
    switch (url.kind) {
      case 'a':
      case 'b':
        hit();
        break;
      default:
        miss();
    }
    try {
      go();
    } catch (error) {
      done(error);
    }
    for (let i = 0; i < 9; i++) turn(i);
  }
}
exports.close = async () => 4;
Agent.prototype.end = function () { return false };
module.exports = function create() {};
