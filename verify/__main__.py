import sys

from verify.cli.allocator import keep_freed_memory
from verify.cli.main import main

keep_freed_memory()
sys.exit(main())
