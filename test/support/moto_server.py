"""moto as a server: with a filter as AWS has it, and without what takes it most of its time."""

import functools
import logging
import os

# No test reads the images of AWS, which moto would make anew after each reset.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

from moto import backends
from moto.core import responses
from moto.ec2 import utils as ec2
from moto.eks import utils as eks
from moto.server import main

# moto 5.2.5 compares a filter of tag keys with all keys of a volume or launch template; AWS finds any of them.
matches = ec2.is_filter_matching
ec2.is_filter_matching = lambda one, name, values: (
    ec2.tag_filter_matches(one, name, values) if name == "tag-key" else matches(one, name, values)
)

# Asked for each request, and always the same.
modules = tuple(backends.list_of_moto_modules())
backends.list_of_moto_modules = lambda: modules
responses.method_names_from_class = functools.cache(responses.method_names_from_class)
eks.Session = functools.cache(eks.Session)

# The log of requests goes nowhere.
logging.getLogger("werkzeug").setLevel(logging.ERROR)

main()
