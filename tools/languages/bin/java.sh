#!/bin/sh
# Prints the path of a Maven with a JDK that builds packages/worker-java. Else prints what is missing, and exits with 3.
set -u
missing() { echo "$1"; exit 3; }
mvn=$(command -v mvn) || missing 'Maven is missing'
javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac
version=$("$javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 17 ] || missing 'a JDK of Java 17 or newer is missing'
echo "$mvn"
