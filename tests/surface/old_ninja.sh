#!/bin/sh
# What a Ninja that is too old says of itself.
echo 1.10.2
