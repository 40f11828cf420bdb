#!/usr/bin/env bash
# Installs SQLPad, a single-page application with a JSON API and no other dependencies: setup_sqlpad.sh FOLDER
set -euo pipefail
cd "$1"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts sqlpad@3.1.0
